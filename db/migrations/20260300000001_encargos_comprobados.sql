alter table profiles validate constraint profiles_role_check;
