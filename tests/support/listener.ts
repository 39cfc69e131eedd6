/** Somebody who listens to server-sent events. */
import { expect, vi } from 'vitest'
import type { Client } from './client.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look at events as they come
type Data = any

export interface Heard {
  event: string
  data: Data
}

export interface Listening {
  status: number
  headers: Headers
  heard: Heard[]
  /** Of one kind. */
  of(event: string): Data[]
  /** Waits for so many of a kind. */
  hear(event: string, count?: number): Promise<Data[]>
  comments(): number
  /** How it ended, once it has. */
  ended: Promise<'properly' | 'cut off'>
  close(): Promise<void>
}

const patience = { timeout: 15_000, interval: 20 }

export async function listen(address: string, client: Client, query = ''): Promise<Listening> {
  const stopping = new AbortController()
  const answer = await fetch(`${address}/api/live${query}`, {
    headers: { cookie: `belfry_session=${client.credentials.cookie}` },
    signal: stopping.signal,
  })
  const heard: Heard[] = []
  let comments = 0
  const take = (block: string) => {
    if (block.startsWith(':')) {
      comments++
      return
    }
    const [, event = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? []
    heard.push({ event, data: JSON.parse(data) })
  }
  const read = async () => {
    let rest = ''
    const decoder = new TextDecoder()
    for await (const chunk of answer.body ?? []) {
      const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n')
      rest = blocks.pop() ?? ''
      blocks.forEach(take)
    }
  }
  const ended = read().then(
    () => 'properly' as const,
    () => 'cut off' as const,
  )
  const of = (event: string) => heard.filter((one) => one.event === event).map(({ data }) => data)
  return {
    status: answer.status,
    headers: answer.headers,
    heard,
    of,
    hear: async (event, count = 1) => {
      await vi.waitFor(() => expect(of(event).length).toBeGreaterThanOrEqual(count), patience)
      return of(event)
    },
    comments: () => comments,
    ended,
    close: async () => {
      stopping.abort()
      await ended
    },
  }
}
