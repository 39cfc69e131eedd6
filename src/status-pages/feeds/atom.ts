/** The feed of a status page as Atom (RFC 4287). */
import { escapeXml } from '../../lib/xml.ts'
import type { StatusPageSnapshot } from '../snapshot.ts'
import type { StatusPageUrls } from '../urls.ts'
import { createFeedId, type FeedEntry, findFeedUpdatedAt, listFeedEntries } from './entries.ts'

export const ATOM_CONTENT_TYPE = 'application/atom+xml; charset=utf-8'

export function renderAtomFeed(snapshot: StatusPageSnapshot, urls: StatusPageUrls): string {
  const { page } = snapshot
  const entries = listFeedEntries(snapshot, urls)
  const lines = [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">',
    element('id', createFeedId(snapshot)),
    element('title', page.title),
    ...(page.description ? [element('subtitle', page.description)] : []),
    element('updated', formatTimestamp(findFeedUpdatedAt(entries, snapshot))),
    `<author>${element('name', page.title)}</author>`,
    `<link rel="self" type="application/atom+xml" href="${escapeXml(urls.atom)}"/>`,
    `<link rel="alternate" type="text/html" href="${escapeXml(urls.page)}"/>`,
    '<generator>Belfry</generator>',
    ...entries.map(renderEntry),
    '</feed>',
  ]
  return `${lines.join('\n')}\n`
}

function renderEntry({ id, url, title, html, category, publishedAt, updatedAt }: FeedEntry): string {
  return [
    '<entry>',
    element('id', id),
    element('title', title),
    ...(publishedAt === undefined ? [] : [element('published', formatTimestamp(publishedAt))]),
    element('updated', formatTimestamp(updatedAt)),
    `<link rel="alternate" type="text/html" href="${escapeXml(url)}"/>`,
    `<category term="${escapeXml(category)}"/>`,
    `<content type="html">${escapeXml(html)}</content>`,
    '</entry>',
  ].join('\n')
}

const element = (name: string, text: string) => `<${name}>${escapeXml(text)}</${name}>`

const formatTimestamp = (at: number) => new Date(at).toISOString()
