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
  it('are shared by statements of the same turn, and each call gets its own results', async () => {
    const { sent, run } = createRoundTrips()
    const results = await Promise.all([run('begin', 'enter'), run('a'), run(), run('b', 'c')])
    expect(results).toEqual([['begin', 'enter'], ['a'], [], ['b', 'c']])
    expect(sent).toEqual([['begin', 'enter', 'a', 'b', 'c']])
  })

  it('follow one another, so no statement overtakes an earlier one', async () => {
    const { sent, roundTrips, run } = createRoundTrips()
    const first = run('begin')
    const later = Promise.resolve().then(() => Promise.all([run('a'), run('b')]))
    const copy = Promise.resolve().then(() => roundTrips.runAlone(async () => sent.push(['copy'])))
    const last = Promise.resolve().then(() => run('c'))
    await Promise.all([first, later, copy, last])
    expect(sent[0]).toEqual(['begin'])
    expect(sent.flat().sort()).toEqual(['a', 'b', 'begin', 'c', 'copy'])
    expect(sent.find((texts) => texts.includes('copy'))).toEqual(['copy'])
  })

  it('reject all calls whose statements they have if one fails, and later calls still run', async () => {
    const { run } = createRoundTrips((text) => text === 'bad')
    const results = await Promise.allSettled([run('a'), run('bad')])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await run('rollback')).toEqual(['rollback'])
  })

  it('send nothing after the end of the transaction', async () => {
    const { sent, roundTrips, run } = createRoundTrips()
    const commit = run('commit')
    roundTrips.end()
    await expect(run('late')).rejects.toThrow('The transaction has ended')
    await expect(roundTrips.runAlone(async () => sent.push(['copy']))).rejects.toThrow('The transaction has ended')
    await commit
    expect(sent).toEqual([['commit']])
  })
})
