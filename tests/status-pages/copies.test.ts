/** How often copies of status pages are compared with the database and read from it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { unavailable } from '../../src/lib/problem.ts'
import { PRIVACY } from '../../src/shared/websites.ts'
import { type PageVersion, readPageVersion } from '../../src/status-pages/load/versions.ts'
import { type FoundCopy, StatusPageCopies } from '../../src/status-pages/serve/copies.ts'
import { CopyFolder } from '../../src/status-pages/serve/copy-folder.ts'
import { type CopySource, createCopySource } from '../../src/status-pages/serve/copy-source.ts'
import type { PageCopy } from '../../src/status-pages/serve/page-copy.ts'
import { renderFormat } from '../../src/status-pages/serve/render-format.ts'
import { createPlainRendering } from '../../src/status-pages/serve/rendering.ts'
import { TestClock } from '../support/clock.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { insertStatusPage } from '../support/status-pages.ts'

let server: TestServer
let owner: TestUser
let dataDir: string
let pageCount = 0
let slug: string
let clock: TestClock
let copies: StatusPageCopies
/** The calls that `copies` made to its source since the test last read this list. */
let calls: string[]
let isDatabaseDown: boolean
/** Runs after the database was read, before the result is used. */
let afterRead: () => Promise<void>

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.createUser('owner')
  dataDir = await mkdtemp(join(tmpdir(), 'belfry-copies-'))
})
afterAll(async () => {
  await server.close()
  await rm(dataDir, { recursive: true, force: true })
})

function createCopies(): StatusPageCopies {
  const log = pino({ level: 'silent' })
  return new StatusPageCopies({ clock, log, folder: new CopyFolder(dataDir, log) })
}

/** Wraps the real source. The wrapper records calls, and rejects them while `isDatabaseDown`. */
function createRecordingSource(): CopySource {
  const source = createCopySource(server.services.db, { canSubscribe: () => false, renderBudget: copies.renderBudget })
  const note = <T>(name: string, call: () => Promise<T>): Promise<T> => {
    calls.push(name)
    return isDatabaseDown ? Promise.reject(unavailable('The database is unavailable.')) : call()
  }
  return {
    ...source,
    findPage: (slug) => note('find', () => source.findPage(slug)),
    findVersion: (slug, now) => note('compare', () => source.findVersion(slug, now)),
    load: (key, now, logo) =>
      note('read', async () => {
        const loadedSnapshot = await source.load(key, now, logo)
        await afterRead()
        return loadedSnapshot
      }),
  }
}

const findVersion = () => readPageVersion(server.services.db, { slug }, clock.now())

const takeCalls = () => calls.splice(0)

const rename = (title: string) =>
  server.services.db.query(
    `update status_pages set title = $2, content_changed_at = content_changed_at + interval '1 second' where slug = $1`,
    [slug, title],
  )

const visit = async () => {
  const foundCopy = await copies.find(slug)
  return `${foundCopy?.copy.snapshot.page.title}${foundCopy?.isStale ? ' (old)' : ''}`
}

/** Comparisons run in the background, so a visitor may still get the previous copy. */
const visitUntil = (text: string) => expect.poll(visit).toBe(text)

const html = { format: 'html', pathPrefix: '', serverUrl: undefined, ageMinutes: undefined } as const

/** Sets `slug` to the slug of the new page. */
async function insertPageOf(user: TestUser, title: string): Promise<number> {
  slug = `page-${++pageCount}`
  return insertStatusPage(server.services.db, user.id, { slug, title })
}

/** Overdraws the budget so much that it doesn't recover before the test ends. The budget recovers in real time. */
function spendBudget(teamId: number): void {
  copies.renderBudget.charge(teamId, 3_600_000)
}

beforeEach(async () => {
  slug = `page-${++pageCount}`
  await insertStatusPage(server.services.db, owner.id, { slug, title: 'First' })
  clock = new TestClock()
  calls = []
  isDatabaseDown = false
  afterRead = async () => {}
  copies = createCopies()
  copies.connect(createRecordingSource(), clock)
})

describe('a page that many people visit', () => {
  it('is read from the database once, and its copy is compared with the database at most once a second', async () => {
    expect(new Set(await Promise.all(Array.from({ length: 50 }, visit)))).toEqual(new Set(['First']))
    expect(takeCalls()).toEqual(['find', 'read'])
    await rename('Second')
    clock.advance({ seconds: 0.9 })
    expect(await visit()).toBe('First')
    expect(takeCalls()).toEqual([])
    clock.advance({ seconds: 0.2 })
    await Promise.all(Array.from({ length: 50 }, visit))
    await visitUntil('Second')
    expect(takeCalls()).toEqual(['compare', 'read'])
  })

  it('is not read again if it has not changed, except once a minute', async () => {
    await visit()
    const { copy } = (await copies.find(slug)) ?? {}
    takeCalls()
    for (let n = 0; n < 5; n++) {
      clock.advance({ seconds: 3 })
      await visitUntil('First')
    }
    expect((await copies.find(slug))?.copy).toBe(copy)
    expect(new Set(takeCalls())).toEqual(new Set(['compare']))
    clock.advance({ seconds: 60 })
    await expect.poll(async () => (await copies.find(slug))?.copy.snapshot.readAt).toBe(clock.now().getTime())
    expect(takeCalls()).toContain('read')
  })

  it('shows a change by this node immediately, even if its copy is new', async () => {
    await visit()
    await rename('Second')
    copies.noteChange(owner.id)
    await visitUntil('Second')
  })

  it('stays as it is for up to 30 s while the pages of its owner are rendered too often', async () => {
    await insertPageOf(await server.createUser('spender'), 'First')
    const { copy } = (await copies.find(slug)) as FoundCopy
    await renderFormat(copy, html)
    spendBudget(copy.snapshot.access.teamId)
    await rename('Second')
    for (const seconds of [3, 3, 20]) {
      clock.advance({ seconds })
      expect(await visit()).toBe('First')
      await copies.refresh((await findVersion()) as PageVersion)
    }
    clock.advance({ seconds: 5 })
    await visitUntil('Second')
  })

  it('is refused while the pages of its owner are rendered too often, if it would have to be read or rendered', async () => {
    const spender = await server.createUser('big spender')
    await insertPageOf(spender, 'Rendered')
    const renderedPage = (await copies.find(slug)) as FoundCopy
    const rendering = await renderFormat(renderedPage.copy, html)
    const renderedSlug = slug
    await insertPageOf(spender, 'Unread')
    spendBudget(spender.id)
    takeCalls()
    const refusal = { code: 'unavailable', headers: { 'retry-after': expect.stringMatching(/^\d+$/) } }
    await expect(copies.find(slug)).rejects.toMatchObject(refusal)
    expect(takeCalls()).toEqual(['find'])
    await expect(renderFormat(renderedPage.copy, { ...html, format: 'json' })).rejects.toMatchObject(refusal)
    // An existing rendering stays available. It is used even if the page should say how old it is.
    expect(await renderFormat(renderedPage.copy, html)).toBe(rendering)
    expect(await renderFormat(renderedPage.copy, { ...html, ageMinutes: 3 })).toBe(rendering)
    slug = renderedSlug
    expect(await visit()).toBe('Rendered')
    copies.noteChange(spender.id)
    await rename('Changed')
    await visitUntil('Changed')
    const changedPage = (await copies.find(slug)) as FoundCopy
    await expect(renderFormat(changedPage.copy, html)).rejects.toMatchObject(refusal)
  })

  it('loses only its rendered formats when another page needs the memory', async () => {
    const { copy } = (await copies.find(slug)) as FoundCopy
    const firstSlug = slug
    slug = `page-${++pageCount}`
    await insertStatusPage(server.services.db, owner.id, { slug, title: 'Other' })
    const { copy: otherCopy } = (await copies.find(slug)) as FoundCopy
    const variant = { format: 'json', pathPrefix: '', serverUrl: undefined, ageMinutes: undefined } as const
    const largeRendering = { ...createPlainRendering('', {}), size: 40_000_000 }
    await copy.render('large', variant, async () => largeRendering)
    expect(copy.findRendering('large')).toBe(largeRendering)
    await otherCopy.render('large', variant, async () => largeRendering)
    expect([copy.findRendering('large'), otherCopy.findRendering('large')]).toEqual([undefined, largeRendering])
    // The copy itself stays in memory, because the data folder doesn't have it yet. Only its rendering was removed.
    expect((await copies.find(firstSlug))?.copy).toBe(copy)
  })

  it('does not lose its rendered formats to the many pages of another user', async () => {
    const variant = { ...html, format: 'json' } as const
    const renderLarge = async (size: number) => {
      const { copy } = (await copies.find(slug)) as FoundCopy
      await copy.render('large', variant, async () => ({ ...createPlainRendering('', {}), size }))
      return copy
    }
    const isRendered = (copy: PageCopy) => copy.findRendering('large') !== undefined
    const smallCopy = await renderLarge(10_000_000)
    const greedyUser = await server.createUser('greedy')
    const largeCopies: PageCopy[] = []
    for (let n = 0; n < 8; n++) {
      await insertPageOf(greedyUser, 'Large')
      largeCopies.push(await renderLarge(15_000_000))
    }
    expect([isRendered(smallCopy), ...largeCopies.map(isRendered)]).toEqual([
      true,
      ...Array.from({ length: 5 }, () => false),
      ...Array.from({ length: 3 }, () => true),
    ])
  })

  it('disappears when it becomes private', async () => {
    await visit()
    await server.services.db.query('update status_pages set privacy = 1 where slug = $1', [slug])
    clock.advance({ seconds: 3 })
    await visitUntil('undefined')
    expect(copies.has(slug)).toBe(false)
  })

  it.each([
    ['a visitor', () => copies.find(slug)],
    ['the job', async () => copies.refresh((await findVersion()) as PageVersion)],
  ])('is not stored as an open page if it is closed while %s reads it', async (_, read) => {
    afterRead = async () => {
      afterRead = async () => {}
      await server.services.db.query(`update status_pages set privacy = 2, password_hash = 'x' where slug = $1`, [slug])
      await copies.forget((await findVersion())?.pageId as number)
    }
    await read()
    expect(copies.findFresh(slug)?.snapshot.access.privacy).not.toBe(PRIVACY.public)
    expect((await copies.find(slug))?.copy.snapshot.access.privacy).toBe(PRIVACY.password)
  })
})

describe('while the database is unavailable', () => {
  it('the last copy is served with its age, and visitors wait only for the first comparison', async () => {
    await visit()
    isDatabaseDown = true
    expect(await visit()).toBe('First')
    clock.advance({ seconds: 3 })
    await visitUntil('First (old)')
    await expect(copies.find('unknown-page')).rejects.toMatchObject({ code: 'unavailable' })
    isDatabaseDown = false
    clock.advance({ seconds: 3 })
    await visitUntil('First')
  })

  it('a new process serves the copies in the data folder', async () => {
    await visit()
    await copies.store(new AbortController().signal)
    copies = createCopies()
    expect(await copies.openFolder()).toBeGreaterThan(0)
    clock.advance({ minutes: 1 })
    expect(await visit()).toBe('First (old)')
    await expect(copies.find('unknown-page')).rejects.toMatchObject({ code: 'unavailable' })
    await rename('Second')
    copies.connect(createRecordingSource(), clock)
    clock.advance({ seconds: 3 })
    await visitUntil('Second')
  })
})

describe('a private page', () => {
  let key: { teamId: number; pageId: number }
  const load = async () => (await copies.loadPrivate(key))?.copy

  beforeEach(async () => {
    const pageId = await insertPageOf(owner, 'Own')
    await server.services.db.query('update status_pages set privacy = 1 where id = $1', [pageId])
    key = { teamId: owner.id, pageId }
  })

  it('is read once a second for its owner, and immediately after a change', async () => {
    const loadedCopies = await Promise.all(Array.from({ length: 20 }, load))
    clock.advance({ seconds: 0.9 })
    expect(new Set([...loadedCopies, await load()]).size).toBe(1)
    expect(takeCalls()).toEqual(['read'])
    clock.advance({ seconds: 0.2 })
    await load()
    expect(takeCalls()).toEqual(['read'])
    copies.noteChange(owner.id)
    await load()
    expect(takeCalls()).toEqual(['read'])
    // A copy that was being read when the access changed is never used afterwards.
    clock.advance({ seconds: 2 })
    afterRead = () => copies.forget(key.pageId)
    const copyBefore = await load()
    afterRead = async () => {}
    expect(await load()).not.toBe(copyBefore)
    expect(takeCalls()).toEqual(['read', 'read'])
  })

  it('is read again after an error', async () => {
    isDatabaseDown = true
    await expect(load()).rejects.toMatchObject({ code: 'unavailable' })
    isDatabaseDown = false
    expect((await load())?.snapshot.page.title).toBe('Own')
  })

  it('is refused while the pages of its owner are rendered too often', async () => {
    const spender = await server.createUser('private spender')
    const pageId = await insertPageOf(spender, 'Own')
    spendBudget(spender.id)
    await expect(copies.loadPrivate({ teamId: spender.id, pageId })).rejects.toMatchObject({ code: 'unavailable' })
    expect(takeCalls()).toEqual([])
  })
})
