/**
 * Fields that `POST /api/maintenances` rejects, and the error of each field. All fields that an entry doesn't list are
 * those of `deployment`.
 */
export const rejectedInputs: readonly [fields: object, errors: Record<string, string>][] = [
  [{ title: '' }, { title: '`title` must not be empty.' }],
  [{ title: 'x'.repeat(101) }, { title: '`title` must have at most 100 characters.' }],
  [{ note: 'x'.repeat(1_001) }, { note: '`note` must have at most 1000 characters.' }],
  [{ all_monitors: false }, { monitor_ids: '`monitor_ids` must not be empty unless `tags` or `all_monitors` is set.' }],
  [
    { duration_seconds: undefined },
    { ends_at: '`ends_at` is required, unless `duration_seconds` or `recurrence` is set.' },
  ],
  [{ ends_at: '2026-01-05T11:00:00Z' }, { duration_seconds: "`duration_seconds` can't be combined with `ends_at`." }],
  [
    { duration_seconds: undefined, ends_at: '2026-01-05T10:00:00Z' },
    { ends_at: '`ends_at` must be after `starts_at`.' },
  ],
  [
    { starts_at: '2026-01-05T09:00:00Z', ends_at: '2026-01-05T09:30:00Z', duration_seconds: undefined },
    { ends_at: '`ends_at` must be in the future.' },
  ],
  [
    { ends_at: '2027-01-07T10:00:00Z', duration_seconds: undefined },
    { ends_at: '`ends_at` must be at most a year after `starts_at`.' },
  ],
  [{ starts_at: '2046-01-07T10:00:00Z' }, { starts_at: '`starts_at` must be within the next 10 years.' }],
  [{ starts_at: 'tomorrow' }, { starts_at: '`starts_at` must be a time such as 2026-01-05T10:00:00.000Z.' }],
  [
    { starts_at: '2026-12-31T23:59:60Z' },
    { starts_at: '`starts_at` must be a time such as 2026-01-05T10:00:00.000Z.' },
  ],
  [{ tags: ['a', 'A'] }, { tags: '`tags` must not contain the same tag twice: A.' }],
  [{ state: 'past' }, { state: '`state` is not a known field.' }],
  [
    { recurrence: { cron: '0 2 * * *', duration_seconds: 3_600 } },
    {
      duration_seconds: "`duration_seconds` can't be combined with `recurrence`: use `recurrence.duration_seconds`.",
    },
  ],
  [
    { duration_seconds: undefined, recurrence: { cron: '0 2 * *', duration_seconds: 3_600 } },
    { 'recurrence.cron': '`recurrence.cron` must be a cron expression with five fields, such as 30 2 * * *.' },
  ],
  [
    { duration_seconds: undefined, recurrence: { cron: '0 2 * * *', time_zone: 'Mars/Base', duration_seconds: 60 } },
    { 'recurrence.time_zone': '`recurrence.time_zone` must be a time zone such as Europe/Berlin.' },
  ],
  [
    { duration_seconds: undefined, recurrence: { cron: '0 2 * * *', duration_seconds: 59 } },
    { 'recurrence.duration_seconds': '`recurrence.duration_seconds` must be between 60 and 31622400.' },
  ],
  [
    { duration_seconds: undefined, recurrence: { cron: '0 * * * *', duration_seconds: 3_600 } },
    {
      'recurrence.duration_seconds':
        '`recurrence.duration_seconds` must be less than 3600, the shortest time between two windows in seconds.',
    },
  ],
  [
    {
      duration_seconds: undefined,
      recurrence: { cron: '0 2 * * *', duration_seconds: 60, until: '2026-01-05T23:00:00Z' },
    },
    { 'recurrence.until': '`recurrence.until` must not be before the first window.' },
  ],
]
