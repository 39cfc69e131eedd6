/** Creates websites with traffic alerts, and finds their traffic monitors. */
import { expect } from 'vitest'
import { monitorsPath } from './monitors.ts'
import type { TestUser } from './server.ts'
import { websitesPath } from './websites.ts'

let domainNumber = 0

export async function createWatchedWebsite(
  user: TestUser,
  fields: object = {},
): Promise<{ id: number; domain: string }> {
  const domain = `site-${++domainNumber}.example.com`
  const response = await user.session.post(websitesPath, { domain, time_zone: 'UTC', ...fields })
  expect(response.status).toBe(201)
  return response.body.data
}

export async function findTrafficMonitor(user: TestUser, websiteId: number) {
  const { body } = await user.session.get(`${monitorsPath}?type=traffic&pageSize=100`)
  return body.data.find((monitor: { watched_website_id: number }) => monitor.watched_website_id === websiteId)
}
