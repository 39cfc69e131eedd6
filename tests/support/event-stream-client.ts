/** A client for server-sent events. */
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
  /** Returns the data of all events with this name. */
  listData(event: string): Data[]
  /** Waits until `count` events with this name have arrived, and returns their data. */
  waitFor(event: string, count?: number): Promise<Data[]>
  countComments(): number
  /** Resolves when the stream has ended. */
  ended: Promise<'properly' | 'cut off'>
  close(): Promise<void>
}

const waitOptions = { timeout: 15_000, interval: 20 }

export async function openEventStream(address: string, client: Client, query = ''): Promise<TestEventStream> {
  const abortController = new AbortController()
  const response = await fetch(`${address}/api/live${query}`, {
    headers: { cookie: `belfry_session=${client.credentials.cookie}` },
    signal: abortController.signal,
  })
  const events: StreamEvent[] = []
  let commentCount = 0
  const addBlock = (block: string) => {
    if (block.startsWith(':')) {
      commentCount++
      return
    }
    const [, event = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? []
    events.push({ event, data: JSON.parse(data) })
  }
  const read = async () => {
    let incompleteBlock = ''
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      const blocks = (incompleteBlock + decoder.decode(chunk, { stream: true })).split('\n\n')
      incompleteBlock = blocks.pop() ?? ''
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
    countComments: () => commentCount,
    ended,
    close: async () => {
      abortController.abort()
      await ended
    },
  }
}
