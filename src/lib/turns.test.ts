import { describe, expect, it } from 'vitest'
import { Turns } from './turns.ts'

/** Work that ends when it is told to, and writes down when it began. */
function makeWork(begun: string[]) {
  const ends = new Map<string, (error?: Error) => void>()
  const work = (name: string) => () => {
    begun.push(name)
    return new Promise<string>((resolve, reject) => {
      ends.set(name, (error) => (error ? reject(error) : resolve(name)))
    })
  }
  return { work, end: (name: string, error?: Error) => ends.get(name)?.(error) }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('turns', () => {
  it('are one a name and a few at once, whoever waited longest first', async () => {
    const begun: string[] = []
    const { work, end } = makeWork(begun)
    const turns = new Turns(2)
    const all = ['a1', 'a2', 'b1', 'c1', 'a3'].map((name) => turns.take(name[0], work(name)))
    await settle()
    expect(begun).toEqual(['a1', 'b1'])
    end('a1')
    await settle()
    expect(begun).toEqual(['a1', 'b1', 'c1'])
    end('b1')
    await settle()
    expect(begun).toEqual(['a1', 'b1', 'c1', 'a2'])
    end('c1')
    end('a2')
    await settle()
    end('a3')
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'b1', 'c1', 'a3'])
  })

  it('go on after one that failed', async () => {
    const begun: string[] = []
    const { work, end } = makeWork(begun)
    const turns = new Turns(1)
    const failed = turns.take('a', work('first'))
    const second = turns.take('a', work('second'))
    await settle()
    end('first', new Error('broken'))
    await expect(failed).rejects.toThrow('broken')
    await settle()
    end('second')
    expect(await second).toBe('second')
    expect(begun).toEqual(['first', 'second'])
  })
})
