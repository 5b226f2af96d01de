select 1;
-- new note
select 2;
