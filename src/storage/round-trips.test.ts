import { describe, expect, it } from 'vitest'
import type { Statement, StatementResult } from './batch.ts'
import { RoundTrips } from './round-trips.ts'

/** Records what is sent in each round trip, and responds to each statement with its text. */
function createRoundTrips(fails: (text: string) => boolean = () => false) {
  const sent: string[][] = []
  const roundTrips = new RoundTrips(async (statements: readonly Statement[]) => {
    const texts = statements.map(({ text }) => text)
    sent.push(texts)
    await Promise.resolve()
    if (texts.some(fails)) throw new Error('failed')
    return texts.map((text): StatementResult => ({ rows: [{ text }], json: '', count: 1 }))
  })
  const run = async (...texts: string[]) => {
    const results = await roundTrips.run(texts.map((text) => ({ text })))
    return results.map(({ rows }) => rows[0]?.['text'])
  }
  return { sent, roundTrips, run }
}

describe('the round trips of a transaction', () => {
  it('are shared by calls without an await between them, and each call gets its own results', async () => {
    const { sent, run } = createRoundTrips()
    const results = await Promise.all([run('begin', 'enter'), run('a'), run(), run('b', 'c')])
    expect(results).toEqual([['begin', 'enter'], ['a'], [], ['b', 'c']])
    expect(sent).toEqual([['begin', 'enter', 'a', 'b', 'c']])
  })

  it('run one after the other, in the order of the calls', async () => {
    const { sent, roundTrips, run } = createRoundTrips()
    const first = run('begin')
    // Afterwards, the first round trip is running.
    await Promise.resolve()
    const copy = async () => sent.push(['copy'])
    await Promise.all([first, run('a'), run('b'), roundTrips.runAlone(copy), run('c')])
    expect(sent).toEqual([['begin'], ['a', 'b'], ['copy'], ['c']])
  })

  it('reject all their calls if one statement fails, and later calls still run', async () => {
    const { run } = createRoundTrips((text) => text === 'bad')
    await run('begin')
    const results = await Promise.allSettled([run('a'), run('bad')])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await run('rollback')).toEqual(['rollback'])
  })

  it('send nothing after the first one has failed, because the transaction may not have begun', async () => {
    const { sent, roundTrips, run } = createRoundTrips((text) => text === 'bad')
    const first = [run('begin'), run('bad')]
    const copy = roundTrips.runAlone(async () => sent.push(['copy']))
    const results = await Promise.allSettled([...first, copy, run('a')])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'rejected'])
    await expect(run('b')).rejects.toThrow('The transaction has ended')
    expect(sent).toEqual([['begin', 'bad']])
  })

  it('end with the one that is running, and send none of those that wait', async () => {
    const { sent, roundTrips, run } = createRoundTrips()
    const running = run('a')
    await Promise.resolve()
    const waiting = Promise.allSettled([run('b'), roundTrips.runAlone(async () => sent.push(['copy'])), run('c')])
    await roundTrips.end()
    expect(await running).toEqual(['a'])
    expect((await waiting).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    await expect(run('late')).rejects.toThrow('The transaction has ended')
    await expect(roundTrips.runAlone(async () => sent.push(['copy']))).rejects.toThrow('The transaction has ended')
    expect(sent).toEqual([['a']])
  })
})
