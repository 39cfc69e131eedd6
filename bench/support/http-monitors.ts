/** SQL that creates monitors of type http, for benchmarks of checks. */

export interface HttpMonitors {
  /** The monitor with the number n checks this URL with n at the end. */
  url: string
  intervalSeconds: number
}

/** All monitors are due immediately. $1 is the user's email address, $2 and $3 are the first and last number. */
export const createHttpInsertSql = ({ url, intervalSeconds }: HttpMonitors) => `with inserted as (
    insert into monitors (user_id, friendly_name, url, type, interval_seconds, retries, retry_interval_seconds,
      remind_every_minutes, http, status, status_changed_at, search_text, created_at, updated_at)
    select id, 'Shop ' || n, '${url}' || n, 'http', ${intervalSeconds}, 2, 5, 0,
           '{"method": "GET", "body": null, "expected_status": "200-399", "keyword": null, "keyword_absent": null,
             "follow_redirects": true, "verify_tls": true}'::jsonb,
           'pending', now(), 'shop ' || n, now(), now()
      from users, generate_series($2::int, $3::int) n where email = $1 returning user_id, id
  )
  insert into monitor_states (user_id, monitor_id, due_at) select user_id, id, now() from inserted`
