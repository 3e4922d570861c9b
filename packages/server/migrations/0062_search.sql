-- Search by parts of words. Trigrams find three characters or more. They know nothing of one or two, which are whole
-- words in scripts that put no spaces between words: those get an index of their own, of single characters and pairs.
create extension if not exists pg_trgm;

-- Thai to Burmese, Hangul, Khmer; from arrows and symbols on Chinese, Japanese and Korean; wide forms; emoji.
create function has_grams(text) returns boolean language sql immutable strict parallel safe
return $1 ~ '[\u0e00-\u109f\u1100-\u11ff\u1780-\u17ff\u2190-\ud7ff\uf900-\ufdff\ufe30-\uffff\U00010000-\U0010ffff]';

create function search_grams(text) returns text[] language sql immutable strict parallel safe
return (
  select array_agg(distinct substr(run, place, width))
    from (select found[1] as run
            from regexp_matches(lower($1), '[\u0e00-\u109f\u1100-\u11ff\u1780-\u17ff\u2190-\ud7ff\uf900-\ufdff\ufe30-\uffff\U00010000-\U0010ffff]+', 'g') r(found)) runs,
         generate_series(1, length(run)) place,
         generate_series(1, least(2, length(run) - place + 1)) width
);

create index messages_by_part on messages using gin (content gin_trgm_ops);
create index messages_by_gram on messages using gin (search_grams(content)) where has_grams(content);
create index topics_by_part on topics using gin (name gin_trgm_ops);
create index topics_by_gram on topics using gin (search_grams(name)) where has_grams(name);
