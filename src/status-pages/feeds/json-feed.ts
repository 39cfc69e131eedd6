/** The feed of a status page as JSON Feed 1.1. */
import type { StatusPageSnapshot } from '../snapshot.ts'
import type { StatusPageUrls } from '../urls.ts'
import { listFeedEntries } from './entries.ts'

export const JSON_FEED_CONTENT_TYPE = 'application/feed+json; charset=utf-8'

export function renderJsonFeed(snapshot: StatusPageSnapshot, urls: StatusPageUrls): string {
  const { title, description, logoHash } = snapshot.page
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title,
    home_page_url: urls.page,
    feed_url: urls.jsonFeed,
    ...(description && { description }),
    ...(logoHash !== null && { icon: `${urls.base}/logo?v=${logoHash}` }),
    authors: [{ name: title, url: urls.page }],
    language: 'en',
    items: listFeedEntries(snapshot, urls).map(({ id, url, title, html, category, publishedAt, updatedAt }) => ({
      id,
      url,
      title,
      content_html: html,
      ...(publishedAt !== undefined && { date_published: new Date(publishedAt).toISOString() }),
      date_modified: new Date(updatedAt).toISOString(),
      tags: [category],
    })),
  })
}
