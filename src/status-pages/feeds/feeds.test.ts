import { SaxesParser, type SaxesTagNS } from 'saxes'
import { describe, expect, it } from 'vitest'
import { createStatusSnapshot } from '../../../tests/support/status-snapshot.ts'
import type { StatusPageSnapshot } from '../snapshot.ts'
import { toStatusPageUrls } from '../urls.ts'
import { renderAtomFeed } from './atom.ts'
import { renderJsonFeed } from './json-feed.ts'
import { renderRssFeed } from './rss.ts'

interface XmlElement {
  name: string
  attributes: Record<string, string>
  text: string
  children: XmlElement[]
}

/** Throws if the document is not well-formed XML, or has an element of another namespace. */
function parseXml(xml: string, namespaces = ['http://www.w3.org/2005/Atom']): XmlElement {
  const root: XmlElement = { name: '', attributes: {}, text: '', children: [] }
  const openElements = [root]
  const parser = new SaxesParser({ xmlns: true })
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ uri, local, attributes }: SaxesTagNS) => {
    expect(namespaces).toContain(uri)
    const values = Object.values(attributes).map(({ name, value }) => [name, value])
    const child = { name: local, attributes: Object.fromEntries(values), text: '', children: [] }
    openElements.at(-1)?.children.push(child)
    openElements.push(child)
  })
  parser.on('text', (text) => {
    const element = openElements.at(-1)
    if (element !== undefined) element.text += text
  })
  parser.on('closetag', () => void openElements.pop())
  parser.write(xml).close()
  return root.children[0] as XmlElement
}

const findAll = ({ children }: XmlElement, name: string) => children.filter((child) => child.name === name)
const textOf = (element: XmlElement, name: string) => findAll(element, name)[0]?.text

function renderFeeds(snapshot: StatusPageSnapshot, serverUrl: string | undefined = 'https://stats.example.com') {
  const urls = toStatusPageUrls(snapshot.page, serverUrl)
  return { feed: parseXml(renderAtomFeed(snapshot, urls)), json: JSON.parse(renderJsonFeed(snapshot, urls)) }
}

/** Checks what RFC 4287 requires of feeds and entries. */
function expectValidAtom(feed: XmlElement) {
  for (const element of [feed, ...findAll(feed, 'entry')]) {
    for (const name of ['id', 'title', 'updated']) expect(findAll(element, name)).toHaveLength(1)
    expect(URL.canParse(textOf(element, 'id') as string)).toBe(true)
    expect(textOf(element, 'updated')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(findAll(element, 'link').filter(({ attributes }) => attributes['rel'] === 'alternate')).toHaveLength(1)
  }
  expect(findAll(feed, 'author')).toHaveLength(1)
  const ids = findAll(feed, 'entry').map((entry) => textOf(entry, 'id'))
  expect(new Set(ids).size).toBe(ids.length)
}

describe('the feeds of a status page', () => {
  it('have the same entries in RSS', () => {
    const snapshot = createStatusSnapshot()
    const urls = toStatusPageUrls(snapshot.page, 'https://stats.example.com')
    const [channel] = parseXml(renderRssFeed(snapshot, urls), ['', 'http://www.w3.org/2005/Atom']).children as [
      XmlElement,
    ]
    expect(['title', 'link', 'lastBuildDate'].map((name) => textOf(channel, name))).toEqual([
      'Example status',
      'https://stats.example.com/status/example',
      'Mon, 16 Nov 2026 11:59:30 GMT',
    ])
    const { feed } = renderFeeds(snapshot)
    const readEntries = (element: XmlElement, names: string[], list: string) =>
      findAll(element, list).map((entry) => names.map((name) => textOf(entry, name)))
    expect(readEntries(channel, ['guid', 'title', 'description'], 'item')).toEqual(
      readEntries(feed, ['id', 'title', 'content'], 'entry'),
    )
    expect(textOf(findAll(channel, 'item')[0] as XmlElement, 'pubDate')).toBe('Mon, 16 Nov 2026 11:59:00 GMT')
  })

  it('have one entry per post with its updates, and entries for incidents and maintenances, newest change first', () => {
    const { feed, json } = renderFeeds(createStatusSnapshot())
    expectValidAtom(feed)
    expect(textOf(feed, 'id')).toBe('urn:uuid:0b9b5f7a-6f4e-4d0e-9d6e-3f1c2a4b5c6d')
    expect(textOf(feed, 'updated')).toBe('2026-11-16T11:59:30.000Z')
    expect(
      findAll(feed, 'entry').map((entry) => [textOf(entry, 'title'), textOf(entry, 'id'), textOf(entry, 'updated')]),
    ).toEqual([
      ['Orders fail', 'tag:stats.example.com,2026-11-16:status-posts/9', '2026-11-16T11:59:30.000Z'],
      [
        'Orders is down',
        'tag:stats.example.com,2026-11-16:status-incidents/4/1794830280000',
        '2026-11-16T11:58:00.000Z',
      ],
      [
        'Shop was down for 5 min 12 s',
        'tag:stats.example.com,2026-11-15:status-incidents/3/1794736800000',
        '2026-11-15T10:05:12.000Z',
      ],
      [
        'Maintenance: Database upgrade',
        'tag:stats.example.com,2026-11-20:status-maintenances/7/1795140000000',
        '2026-11-10T08:00:00.000Z',
      ],
    ])
    const [post] = findAll(feed, 'entry')
    const content = findAll(post as XmlElement, 'content')[0]
    expect(content?.attributes).toEqual({ type: 'html' })
    expect(content?.text).toMatch(
      /^<p>Affects: Orders<\/p><p><strong>Identified<\/strong> · <time datetime="2026-11-16T11:59:30.000Z">16 Nov 2026, 12:59:30 \(Europe\/Berlin, UTC\+1\)<\/time>.*disk.*<hr>.*Investigating.*<strong>looking<\/strong>/s,
    )
    expect(json).toMatchObject({
      version: 'https://jsonfeed.org/version/1.1',
      title: 'Example status',
      home_page_url: 'https://stats.example.com/status/example',
      feed_url: 'https://stats.example.com/status/example/feed.json',
    })
    expect(json.items.map(({ id }: { id: string }) => id)).toEqual(
      findAll(feed, 'entry').map((entry) => textOf(entry, 'id')),
    )
    expect(json.items[0]).toMatchObject({
      url: 'https://stats.example.com/status/example#post-9',
      content_html: content?.text,
      date_published: '2026-11-16T11:59:00.000Z',
      date_modified: '2026-11-16T11:59:30.000Z',
      tags: ['identified'],
    })
  })

  it('keep the ids of entries when the page gets another slug, a custom domain or another time', () => {
    const snapshot = createStatusSnapshot()
    const movedSnapshot = createStatusSnapshot({
      page: { ...snapshot.page, slug: 'other', customDomain: 'status.example.org' },
      readAt: snapshot.readAt + 3_600_000,
    })
    const { feed, json } = renderFeeds(movedSnapshot)
    expect(json.items.map(({ id }: { id: string }) => id)).toEqual(
      renderFeeds(snapshot).json.items.map(({ id }: { id: string }) => id),
    )
    expect(findAll(feed, 'link').map(({ attributes }) => attributes['href'])).toEqual([
      'https://status.example.org/status/other.atom',
      'https://status.example.org/',
    ])
    expect(json.home_page_url).toBe('https://status.example.org/')
  })

  it('keep all ids when the page gets another slug and server, except the ids of entries that Belfry 0.2.0 listed', () => {
    const { page, ...rest } = createStatusSnapshot()
    const listIds = (feedIdSince: string, slug: string, serverUrl: string) => {
      const snapshot = { ...rest, page: { ...page, slug, feedIdSince: Date.parse(feedIdSince) } }
      const { feed } = renderFeeds(snapshot, serverUrl)
      expectValidAtom(feed)
      return [feed, ...findAll(feed, 'entry')].map((element) => textOf(element, 'id'))
    }
    const ids = listIds('2026-11-01T00:00:00Z', 'example', 'https://stats.example.com')
    expect(ids).toHaveLength(5)
    for (const id of ids)
      expect(id).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[48][0-9a-f]{3}-[89a][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(listIds('2026-11-01T00:00:00Z', 'renamed', 'https://elsewhere.example.org/belfry')).toEqual(ids)
    // The maintenance on 20 November was in the feed from 6 November on.
    const mixedIds = listIds('2026-11-16T00:00:00Z', 'example', 'https://stats.example.com')
    expect(mixedIds.map((id, index) => (id === ids[index] ? 'same' : id))).toEqual([
      'same',
      'same',
      'same',
      'tag:stats.example.com,2026-11-15:status-incidents/3/1794736800000',
      'tag:stats.example.com,2026-11-20:status-maintenances/7/1795140000000',
    ])
  })

  it('are valid without any entry', () => {
    const { feed, json } = renderFeeds(createStatusSnapshot({ incidents: [], maintenances: [], posts: [] }))
    expectValidAtom(feed)
    expect(textOf(feed, 'updated')).toBe('2026-08-19T00:00:00.000Z')
    expect(json.items).toEqual([])
  })

  it('stay valid and contain no markup of hostile titles, labels, notes and texts', () => {
    const hostileText = '</title>]]><script>alert(1)</script>&lt;"\'\u{0}\u{1b}\u{d800}\u{202e}'
    const snapshot = createStatusSnapshot()
    const { feed, json } = renderFeeds({
      ...snapshot,
      page: { ...snapshot.page, title: hostileText, description: hostileText },
      incidents: snapshot.incidents.map((incident) => ({ ...incident, label: hostileText })),
      maintenances: snapshot.maintenances.map((maintenance) => ({
        ...maintenance,
        title: hostileText,
        note: hostileText,
        labels: [hostileText],
      })),
      posts: snapshot.posts.map((post) => ({
        ...post,
        title: hostileText,
        labels: [hostileText],
        updates: post.updates.map((update) => ({ ...update, body: `${hostileText}\n\n[x](javascript:alert(1))` })),
      })),
    })
    expectValidAtom(feed)
    expect(textOf(feed, 'title')).toBe('</title>]]><script>alert(1)</script>&lt;"\'���\u{202e}')
    const contents = findAll(feed, 'entry').map((entry) => textOf(entry, 'content'))
    for (const html of [...contents, ...json.items.map((item: { content_html: string }) => item.content_html)]) {
      expect(html).not.toMatch(/<script|href="javascript/i)
    }
  })
})
