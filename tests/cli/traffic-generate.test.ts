import { describe, expect, it, vi } from 'vitest'
import { canRunAtTerminal, query, runAtTerminal, startCommand, waitForResult } from './support.ts'
import { useTrafficCommands } from './traffic-support.ts'

describe('traffic generate, and the arguments of traffic commands', () => {
  const { getEnv, getServer, registerWebsite, run, runProcess } = useTrafficCommands()

  it('generate sample data up to now, and only once', async () => {
    const site = await registerWebsite('sample.example.com', 'Europe/Berlin')
    const generateResult = await runProcess(
      'generate',
      'https://www.sample.example.com/',
      '--days',
      '5',
      '--visitors',
      '50',
    )
    expect(generateResult).toMatchObject({ code: 0, stderr: '' })
    expect(generateResult.stdout).toMatch(
      /^Generated [\d,]+ events of sample data for sample\.example\.com, covering 5 days\.\n$/,
    )
    const [times] = await query(
      getServer().database.connection,
      `select min(at) > now() - interval '6 days' as starts_in_range, max(at) <= now() as ends_before_now,
              max(at) > now() - interval '1 day' as ends_recently from events where website_id = ${site.id}`,
    )
    expect(times).toEqual({ starts_in_range: true, ends_before_now: true, ends_recently: true })
    const secondResult = await run('generate', 'sample.example.com', '--days', '2')
    expect(secondResult.code).toBe(1)
    expect(secondResult.stderr).toContain('Nothing was imported. To add to it anyway, use --add.')
    expect((await run('generate', 'sample.example.com', '--days', '2', '--add', '--seed', '2')).code).toBe(0)
  })

  it('reject an unknown website and say how to add it', async () => {
    const { code, stderr } = await run('generate', 'nowhere.example.com')
    expect(code).toBe(1)
    expect(stderr).toContain(
      'There is no website nowhere.example.com. Add it on the website list, or with POST /api/v1/websites',
    )
  })

  it.each([
    ['generate', 'Missing argument: <domain>'],
    ['generate 127.0.0.1', 'The domain must be a name, not an IP address.'],
    ['generate a.example.com --days 0', '--days must be a whole number from 1'],
    ['generate a.example.com --visitors many', '--visitors must be a whole number'],
    ['import a.example.com', 'Missing argument: <file|folder|zip>'],
    ['export a.example.com --format xml', '--format must be belfry or plausible.'],
    ['export a.example.com --format plausible', 'Missing argument: <folder>.'],
    ['export a.example.com --from yesterday', '--from must be a day such as 2026-01-05.'],
    ['export a.example.com --from 2026-02-01 --to 2026-01-01', '--from must not be after --to.'],
  ])('reject the arguments “%s”', async (words, message) => {
    const { code, stderr } = await run(...words.split(' '))
    expect(stderr).toContain(message)
    expect(code).toBe(2)
  })

  it.skipIf(!canRunAtTerminal)('show progress at a terminal', async () => {
    await registerWebsite('drawn.example.com', 'UTC')
    const { code, screen } = await runAtTerminal('traffic generate drawn.example.com --days 2 --visitors 100', {
      env: getEnv(),
      answers: [],
    })
    expect(screen).toMatch(/Generating: █*░* \d+ %, [\d,]+ events/)
    expect(screen).toMatch(/Counting: █+░* \d+ %, [\d,]+ events/)
    expect(code).toBe(0)
  })

  it('change nothing when interrupted', async () => {
    const site = await registerWebsite('interrupted.example.com', 'UTC')
    const child = startCommand(['traffic', 'generate', site.domain, '--visitors', '1000000'], { env: getEnv() })
    const result = waitForResult(child)
    const isImporting = async () => {
      // Other work holds advisory locks too, so look for the key of this import.
      const sql = `select from pg_locks
         where locktype = 'advisory' and objsubid = 1 and granted
           and (classid::bigint << 32) | objid::bigint = hashtextextended('traffic import ' || ${site.id}, 0)`
      return (await query(getServer().database.connection, sql)).length > 0
    }
    await vi.waitUntil(isImporting, { timeout: 20_000, interval: 20 })
    const secondResult = await run('generate', site.domain)
    expect(secondResult.stderr).toContain('Another import into interrupted.example.com is running.')
    child.kill('SIGINT')
    expect(await result).toEqual({ code: 130, stdout: '', stderr: 'Interrupted. Nothing was changed.\n' })
    expect(await query(getServer().database.connection, 'select id from event_inbox')).toEqual([])
    expect((await run('generate', site.domain, '--days', '1', '--visitors', '10')).code).toBe(0)
  })
})
