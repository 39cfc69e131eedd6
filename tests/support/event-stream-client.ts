/** A client of server-sent events. */
import { expect, vi } from 'vitest'
import type { Client } from './client.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests know the shape of the events
type Data = any

export interface StreamEvent {
  event: string
  data: Data
}

export interface TestEventStream {
  status: number
  headers: Headers
  events: StreamEvent[]
  /** The data of all events with that name. */
  listData(event: string): Data[]
  /** Waits until that many events have arrived, and returns the data of all of them. */
  waitFor(event: string, count?: number): Promise<Data[]>
  comments(): number
  /** Resolves when the stream has ended. */
  ended: Promise<'properly' | 'cut off'>
  close(): Promise<void>
}

const waitOptions = { timeout: 15_000, interval: 20 }

export async function openEventStream(address: string, client: Client, query = ''): Promise<TestEventStream> {
  const stopping = new AbortController()
  const response = await fetch(`${address}/api/live${query}`, {
    headers: { cookie: `belfry_session=${client.credentials.cookie}` },
    signal: stopping.signal,
  })
  const events: StreamEvent[] = []
  let comments = 0
  const addBlock = (block: string) => {
    if (block.startsWith(':')) {
      comments++
      return
    }
    const [, event = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? []
    events.push({ event, data: JSON.parse(data) })
  }
  const read = async () => {
    let rest = ''
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n')
      rest = blocks.pop() ?? ''
      blocks.forEach(addBlock)
    }
  }
  const ended = read().then(
    () => 'properly' as const,
    () => 'cut off' as const,
  )
  const listData = (name: string) => events.filter(({ event }) => event === name).map(({ data }) => data)
  return {
    status: response.status,
    headers: response.headers,
    events,
    listData,
    waitFor: async (event, count = 1) => {
      await vi.waitFor(() => expect(listData(event).length).toBeGreaterThanOrEqual(count), waitOptions)
      return listData(event)
    },
    comments: () => comments,
    ended,
    close: async () => {
      stopping.abort()
      await ended
    },
  }
}
