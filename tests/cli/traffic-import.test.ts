import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { ensureWebsiteExists, importEvents } from '../../src/traffic/import-export/import-events.ts'
import { belfry, query } from './support.ts'
import { readStatistics, readTotals, useTrafficCommands, year } from './traffic-support.ts'

describe('traffic import', () => {
  const { getEnv, getPath, getServer, registerWebsite, run } = useTrafficCommands()

  it('imports nothing if one line is invalid, and names the line', async () => {
    const site = await registerWebsite('wrong.example.com', 'UTC')
    const validLines = '2026-01-04T10:00:00Z,view,1,/\n'.repeat(5_000)
    writeFileSync(getPath('wrong.csv'), `time,kind,visitor,page\n${validLines}2026-01-03T10:00:00Z,view,1,/\n`)
    const { code, stderr } = await run('import', site.domain, getPath('wrong.csv'))
    expect(stderr).toBe(
      'wrong.csv, line 5002: `time` must not be earlier than in the line before. Sort the file by time.\n',
    )
    expect(code).toBe(1)
    expect((await readTotals(getServer(), site, year)).pageviews).toBe(0)
    expect(await query(getServer().database.connection, 'select id from event_inbox')).toEqual([])
  })

  it('imports a handwritten file in the time zone of the website', async () => {
    const site = await registerWebsite('by-hand.example.com', 'Asia/Kolkata')
    const lines = [
      'time,kind,visitor,page,country,referrer',
      '2026-01-04T23:59:59+05:30,view,1,/,IN,https://news.google.com/read?q=secret',
      '2026-01-04T18:30:00Z,view,1,https://by-hand.example.com/pricing,IN,',
      '2026-01-04T18:31:00Z,view,2,/pricing,,',
    ]
    writeFileSync(getPath('by-hand.csv'), `\ufeff${lines.join('\r\n')}`)
    expect(await run('import', site.domain, getPath('by-hand.csv'))).toMatchObject({ code: 0 })
    const { panels, series } = await readStatistics(getServer(), site, { from: '2026-01-04', to: '2026-01-05' })
    expect(series['visitors']?.map(({ count }) => count)).toEqual([1, 2])
    expect(series['pageviews_hours']?.filter(({ count }) => count > 0)).toEqual([
      { value: '2026-01-04T23:00:00+05:30', count: 1 },
      { value: '2026-01-05T00:00:00+05:30', count: 2 },
    ])
    expect(panels.country).toEqual([{ value: 'IN', count: 2 }])
    expect(panels.source).toEqual([
      { value: 'Direct', count: 2 },
      { value: 'Google News', count: 1 },
    ])
    expect(panels.referrer).toEqual([{ value: 'news.google.com/read', count: 1 }])
    expect(panels.page).toEqual([
      { value: '/', count: 1 },
      { value: '/pricing', count: 2 },
    ])
    writeFileSync(getPath('one.csv'), 'time,kind,visitor,page\n2026-01-06T10:00:00Z,view,1,/\n')
    const singleEventResult = await run('import', site.domain, getPath('one.csv'))
    expect(singleEventResult.stdout).toBe('Imported 1 event into by-hand.example.com.\n')
  })

  it('fails if the website is deleted during the import', async () => {
    const site = await registerWebsite('deleted.example.com', 'UTC')
    const { config, db, rollup } = getServer().services
    const at = Date.parse('2026-01-05T10:00:00Z')
    const readEvents = async function* () {
      yield [{ websiteId: site.id, kind: 'view' as const, at, day: '2026-01-05', hour: 10, visitor: 1, page: '/' }]
      await query(getServer().database.connection, `delete from websites where id = ${site.id}`)
    }
    const result = importEvents(
      { db, rollup, config, clock: systemClock },
      { site, readEvents, mayAddToExistingDays: false },
    )
    await expect(result).rejects.toThrow('The website was deleted during the import. Nothing was imported.')
    expect(await query(getServer().database.connection, 'select id from event_inbox')).toEqual([])
    await expect(ensureWebsiteExists(db, site)).rejects.toThrow('The website was deleted during the import.')
  })

  it('counts events that are too old to be stored, and warns about them', async () => {
    const site = await registerWebsite('long-ago.example.com', 'UTC')
    const days = [
      '2001-02-03',
      '2001-02-04',
      '2001-02-04',
      new Date(Date.now() - 86_400_000).toISOString().slice(0, 10),
    ]
    const lines = days.map((day) => `${day}T00:00:00Z,view,1,/\n`)
    writeFileSync(getPath('long-ago.csv'), `time,kind,visitor,page\n${lines.join('')}`)
    const { stdout, stderr } = await belfry(['traffic', 'import', site.domain, getPath('long-ago.csv')], {
      env: { ...getEnv(), BELFRY_EVENT_DAYS: '400' },
    })
    expect(stdout).toBe('Imported 4 events into long-ago.example.com.\n')
    expect(stderr).toContain('The events of 2 days are older than 400 days (BELFRY_EVENT_DAYS) and will not be stored')
    const { pageviews } = await readTotals(getServer(), site, { from: '2001-02-03', to: '2001-02-04' })
    expect(pageviews).toBe(3)
  })

  it('stores old events in partitions of their months', async () => {
    const site = await registerWebsite('history.example.com', 'UTC')
    const lines = ['2003-05-06', '2003-05-07', '2005-12-31'].map((day) => `${day}T23:59:59Z,view,1,/\n`)
    writeFileSync(getPath('history.csv'), `time,kind,visitor,page\n${lines.join('')}`)
    const { stderr } = await run('import', site.domain, getPath('history.csv'))
    expect(stderr).not.toContain('BELFRY_EVENT_DAYS')
    const partitions = await query(
      getServer().database.connection,
      `select tableoid::regclass::text as name, count(*)::int as rows from events where website_id = ${site.id} group by 1 order by 1`,
    )
    expect(partitions).toEqual([
      { name: 'events_200305', rows: 2 },
      { name: 'events_200512', rows: 1 },
    ])
  })

  it.each([
    ['missing.csv', undefined, 'no such file or folder'],
    ['empty.csv', '', 'empty.csv is empty.'],
    ['other.csv', 'name;amount\n', "The first line of other.csv doesn't match an export from Belfry or Plausible."],
    ['typo.csv', 'time,kind,visitor,page,contry\n', 'typo.csv, line 1: unknown column "contry".'],
    ['double.csv', 'time,kind,visitor,page,page\n', 'double.csv, line 1: the column "page" occurs twice.'],
    ['broken.csv', Buffer.from([0x1f, 0x8b, 8, 0, 1]), 'broken.csv is damaged'],
  ])('imports nothing from %s', async (name, content, message) => {
    if (content !== undefined) writeFileSync(getPath(name), content)
    const site = await registerWebsite('nothing.example.com', 'UTC')
    const { code, stderr } = await run('import', site.domain, getPath(name))
    expect(stderr).toContain(message)
    expect(code).toBe(1)
  })
})
