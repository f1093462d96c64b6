from hypothesis import given
from hypothesis import strategies as st
from rungwise.server.cache import ResponseCache


def test_the_entry_not_used_for_longest_makes_room():
    cache = ResponseCache(entries=2, most_bytes=1_000)
    cache.put(b"a", b"1")
    cache.put(b"b", b"2")
    assert cache.get(b"a") == b"1"
    cache.put(b"c", b"3")
    assert cache.get(b"b") is None
    assert (cache.get(b"a"), cache.get(b"c")) == (b"1", b"3")


def test_keys_and_answers_count_as_bytes():
    cache = ResponseCache(entries=100, most_bytes=20)
    cache.put(b"k" * 5, b"a" * 5)
    cache.put(b"l" * 5, b"a" * 5)
    assert len(cache) == 2
    cache.put(b"m", b"a")
    assert (len(cache), cache.get(b"k" * 5)) == (2, None)


def test_an_answer_larger_than_all_bytes_is_not_kept_and_drops_nothing():
    cache = ResponseCache(entries=100, most_bytes=20)
    cache.put(b"k", b"a")
    cache.put(b"l", b"a" * 20)
    assert (cache.get(b"k"), cache.get(b"l")) == (b"a", None)


def test_no_entries_means_no_cache():
    cache = ResponseCache(entries=0, most_bytes=1_000)
    cache.put(b"k", b"a")
    assert cache.get(b"k") is None


@given(
    st.lists(st.tuples(st.binary(max_size=3), st.binary(max_size=30))),
    st.integers(0, 4),
    st.integers(0, 60),
)
def test_bounds_hold_and_an_answer_is_the_last_one_put(puts, entries, most_bytes):
    cache = ResponseCache(entries, most_bytes)
    last = {}
    for key, answer in puts:
        cache.put(key, answer)
        fits = len(key) + len(answer) <= most_bytes
        last[key] = answer if fits or key not in last else last[key]
        kept = {known: found for known in last if (found := cache.get(known)) is not None}
        assert len(kept) == len(cache) <= entries
        assert sum(len(known) + len(found) for known, found in kept.items()) <= most_bytes
        assert all(found == last[known] for known, found in kept.items())
        assert not entries or not fits or kept[key] == answer
