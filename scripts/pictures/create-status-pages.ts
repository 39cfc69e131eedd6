/** Creates status pages with posts, a planned maintenance and subscribers. */
import { DAY_MS, HOUR_MS } from '../../src/shared/time.ts'
import type { Database } from '../../src/storage/database.ts'
import type { Api } from './api.ts'
import { backdatePost, insertSubscribers } from './history-store.ts'
import { monitors, now, timeZone } from './sample-data.ts'

/** The monitors were created in the order of the list, in an empty database. So their ids are 1, 2, 3 and so on. */
const findMonitorId = (name: string) => 1 + monitors.findIndex((monitor) => monitor.name === name)
const toPageMonitor = (name: string, label = name) => ({ monitor_id: findMonitorId(name), label })

const MINUTES_PER_DAY = 1_440
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000)

const examplePage = {
  slug: 'example',
  title: 'Example',
  description: 'Live state and history of the services of Example Ltd.',
  time_zone: timeZone,
  show_response_times: true,
  groups: [
    {
      name: 'Shop',
      monitors: [toPageMonitor('Shop', 'Web shop'), toPageMonitor('Checkout'), toPageMonitor('Search')],
    },
    {
      name: 'Lantern',
      monitors: [
        toPageMonitor('Lantern', 'Web application'),
        toPageMonitor('Lantern API', 'API'),
        toPageMonitor('Documentation'),
      ],
    },
    { name: 'Company', monitors: [toPageMonitor('Blog'), toPageMonitor('Mail')] },
  ],
}

const internalPage = {
  slug: 'example-internal',
  title: 'Example internal',
  privacy: 1,
  time_zone: timeZone,
  groups: [{ name: 'Office', monitors: [toPageMonitor('Office router'), toPageMonitor('Nightly backup')] }],
}

const outagePost = {
  title: 'Payments by credit card fail',
  state: 'investigating',
  body: 'Some customers see an error after they enter their card. **Invoice and bank transfer work.** We are looking into it.',
  monitor_ids: [findMonitorId('Checkout')],
  notify: false,
}
const outageUpdate = {
  state: 'identified',
  body: 'Our payment provider has confirmed a problem on their side. See [their status](https://status.pay.example/).',
  notify: false,
}
const resolvedPost = {
  title: 'Slow search results',
  state: 'investigating',
  body: 'Searches take up to ten seconds. We are looking into it.',
  monitor_ids: [findMonitorId('Search')],
  notify: false,
}
const resolution = { state: 'resolved', body: 'The search index was rebuilt. Searches are fast again.', notify: false }

const maintenance = {
  title: 'Database upgrade',
  note: 'Lantern is read-only for a few minutes.',
  starts_at: new Date(now.getTime() + 2 * DAY_MS + 8 * HOUR_MS).toISOString(),
  duration_seconds: 2_700,
  monitor_ids: [findMonitorId('Lantern'), findMonitorId('Lantern API')],
}

const SUBSCRIBERS = 128

export async function createStatusPages(api: Api, db: Database): Promise<void> {
  await api.post('/api/status-pages', internalPage)
  const id = await api.post('/api/status-pages', examplePage)
  const posts = `/api/status-pages/${id}/posts`
  const resolvedId = await api.post(posts, resolvedPost)
  await api.post(`${posts}/${resolvedId}/updates`, resolution)
  await backdatePost(db, resolvedId, [minutesAgo(6 * MINUTES_PER_DAY), minutesAgo(6 * MINUTES_PER_DAY - 52)])
  const postId = await api.post(posts, outagePost)
  await api.post(`${posts}/${postId}/updates`, outageUpdate)
  await backdatePost(db, postId, [minutesAgo(19), minutesAgo(6)])
  await api.post('/api/maintenances', maintenance)
  await insertSubscribers(db, id, SUBSCRIBERS)
}
