// Live figures: runs in the page of the book, where `scripts/build-web` has put the methods beside it.
(() => {
  const figures = [...document.querySelectorAll('.live')];
  const page = new URL(`${path_to_root}live/index.html`, location.href);

  /** The panes of a figure, as the address of the page has them. */
  const hash = ({ scene, methods, spacing }) => {
    const panes = methods.split(' ').map((method) => ({ scene, method, spacing: spacing && Number(spacing) }));
    return btoa(JSON.stringify({ panes })).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  };

  function show(figure) {
    const address = `${page}?figure#${hash(figure.dataset)}`;
    const frame = Object.assign(document.createElement('iframe'), { src: address, title: 'A live run', loading: 'lazy' });
    const link = Object.assign(document.createElement('a'), { href: address.replace('?figure', ''), textContent: 'Open it as a page' });
    figure.replaceChildren(frame, link);
  }

  // From a folder of the disk nothing can be loaded.
  if (figures.length === 0 || location.protocol === 'file:') return;
  fetch(page).then(
    async (found) => (await found.text()) && found.ok && figures.forEach(show),
    () => {},
  );
})();
