/** The feed of a status page as RSS 2.0, for programs that read no Atom. */
import { escapeXml } from '../../lib/xml.ts'
import type { StatusPageSnapshot } from '../snapshot.ts'
import type { StatusPageUrls } from '../urls.ts'
import { type FeedEntry, findFeedUpdatedAt, listFeedEntries } from './entries.ts'

export const RSS_CONTENT_TYPE = 'application/rss+xml; charset=utf-8'

export function renderRssFeed(snapshot: StatusPageSnapshot, urls: StatusPageUrls): string {
  const { page } = snapshot
  const entries = listFeedEntries(snapshot, urls)
  const lines = [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">',
    '<channel>',
    element('title', page.title),
    element('link', urls.page),
    element('description', page.description || `Incidents and maintenance of ${page.title}`),
    element('language', 'en'),
    element('lastBuildDate', formatDate(findFeedUpdatedAt(entries, snapshot))),
    element('generator', 'Belfry'),
    `<atom:link rel="self" type="application/rss+xml" href="${escapeXml(urls.rss)}"/>`,
    ...entries.map(renderItem),
    '</channel>',
    '</rss>',
  ]
  return `${lines.join('\n')}\n`
}

function renderItem({ id, url, title, html, category, publishedAt, updatedAt }: FeedEntry): string {
  return [
    '<item>',
    `<guid isPermaLink="false">${escapeXml(id)}</guid>`,
    element('title', title),
    element('link', url),
    element('pubDate', formatDate(publishedAt ?? updatedAt)),
    element('category', category),
    element('description', html),
    '</item>',
  ].join('\n')
}

const element = (name: string, text: string) => `<${name}>${escapeXml(text)}</${name}>`

/** RSS has dates such as "Thu, 12 Nov 2026 13:24:18 GMT" (RFC 822 with a year of four digits). */
const formatDate = (at: number) => new Date(at).toUTCString()
