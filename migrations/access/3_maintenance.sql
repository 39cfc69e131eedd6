-- Whether a maintenance covers the monitor at that time. The result depends only on the times of windows, not on their state, so it
-- is right even if the worker has not handled their start or end yet. It uses the current tags and list of monitors.
create or replace function is_in_maintenance(for_user bigint, for_monitor bigint, at_time timestamptz) returns boolean
language sql stable
as $$
  select exists (
    select from maintenance_windows w
      join maintenances t on t.user_id = w.user_id and t.id = w.maintenance_id
     where w.user_id = for_user and w.starts_at <= at_time and w.ends_at > at_time
       and (t.all_monitors
            or exists (select from maintenance_monitors c
                        where c.user_id = for_user and c.maintenance_id = t.id and c.monitor_id = for_monitor)
            or exists (select from monitors m
                        where m.user_id = for_user and m.id = for_monitor and m.tag_keys && t.tag_keys))
  )
$$;
