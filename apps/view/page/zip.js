// Files in one archive, stored as they are: pictures are compressed already.

const encoder = new TextEncoder();

/** What a byte does to the checksum. */
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit += 1) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  return sum;
});

function checksum(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = (sum >>> 8) ^ TABLE[(sum ^ byte) & 255];
  return ~sum >>> 0;
}

/** Little-endian numbers, each with its size in bytes. */
function record(...fields) {
  const view = new DataView(new ArrayBuffer(fields.reduce((sum, [size]) => sum + size, 0)));
  let at = 0;
  for (const [size, value] of fields) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size;
  }
  return new Uint8Array(view.buffer);
}

/** 1 January 1980, the first day that the format knows: archives of the same files are the same. */
const DATE = 0x21;
const VERSION = 20;

/**
 * The archive of some files (PKWARE's APPNOTE 4.3, method 0).
 * @param {{name: string, bytes: Uint8Array}[]} files together below 4 GiB
 * @returns {Blob}
 */
export function zip(files) {
  const [parts, central] = [[], []];
  let at = 0;
  for (const { name, bytes } of files) {
    const letters = encoder.encode(name);
    const size = bytes.length;
    // Flags, method, time, date, checksum, sizes, lengths of the name and of more.
    const about = [[2, 0], [2, 0], [2, 0], [2, DATE], [4, checksum(bytes)], [4, size], [4, size], [2, letters.length], [2, 0]];
    const local = record([4, 0x04034b50], [2, VERSION], ...about);
    central.push(record([4, 0x02014b50], [2, VERSION], [2, VERSION], ...about, [2, 0], [2, 0], [2, 0], [4, 0], [4, at]), letters);
    parts.push(local, letters, bytes);
    at += local.length + letters.length + size;
  }
  const length = central.reduce((sum, part) => sum + part.length, 0);
  const end = [[4, 0x06054b50], [2, 0], [2, 0], [2, files.length], [2, files.length], [4, length], [4, at], [2, 0]];
  return new Blob([...parts, ...central, record(...end)], { type: 'application/zip' });
}
