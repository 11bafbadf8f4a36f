use bench_suite::system::processor::*;
use sph_core::numerics::lane::Isa;

#[test]
fn names_of_backends_are_read_and_written() {
    let of = |text: &str| text.parse::<Choice>();
    assert_eq!(of("cpu"), Ok(Choice::Cpu));
    assert_eq!(of("cuda"), Ok(Choice::Cuda(0)));
    assert_eq!(of("cuda:12"), Ok(Choice::Cuda(12)));
    assert_eq!(of("auto"), Ok(Choice::Auto));
    assert_eq!(of("emulator").is_ok(), cfg!(feature = "host"));
    for wrong in
        ["", "gpu", "CPU", "cuda:", "cuda:x", "cuda:-1", "cuda:+1", "cuda:99999999999999999999", "cuda 0"]
    {
        assert_eq!(of(wrong), Err(UnknownBackend(wrong.into())));
    }
    for choice in [Choice::Cpu, Choice::Cuda(3), Choice::Auto] {
        assert_eq!(choice.to_string().parse(), Ok(choice));
    }
}

/// What `auto` comes to is what a GPU that is asked for by name says.
#[test]
fn only_auto_comes_to_another_backend_and_says_why() {
    let isa = Isa::best();
    let auto = Processor::open(Choice::Auto, isa).unwrap();
    let note = auto.note.clone().unwrap_or_default();
    match Processor::open(Choice::Cuda(0), isa) {
        Ok(found) => assert_eq!(auto.name(), found.name()),
        Err(NoBackend::Gpu { reason, .. }) => {
            assert!(auto.backend.is_cpu() && note.ends_with(&reason.to_string()), "{note}");
        }
        Err(NoBackend::NotBuilt { .. }) => assert!(note.contains("without the feature `cuda`"), "{note}"),
        Err(error) => panic!("{error}"),
    }
    assert!(!note.contains('\n') && Processor::open(Choice::Cpu, isa).unwrap().note.is_none());
}
