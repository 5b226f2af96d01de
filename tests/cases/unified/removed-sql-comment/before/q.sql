select 1;
-- old note
select 2;
