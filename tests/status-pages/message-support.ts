/** A status page whose subscribers get emails about its posts. Each test starts with a new page. */
import { beforeEach } from 'vitest'
import type { Database } from '../../src/storage/database.ts'
import {
  insertPostWithMessages,
  insertSubscribers,
  type SubscriberFixture,
  useSubscriberFixture,
} from '../support/subscribers.ts'

export interface MessageFixture {
  /** The fixture, page and monitors of the test that runs. */
  current(): { fixture: SubscriberFixture; pageId: number; shopId: number; ordersId: number }
  database(): Database
  /** Inserts confirmed subscribers of the page. Returns their ids. */
  addSubscribers(count: number, prefix?: string): Promise<number[]>
  addPost(options?: Parameters<typeof insertPostWithMessages>[3]): Promise<{ postId: number; updateId: number }>
  /** The number of messages in each state. */
  countStates(): Promise<Record<string, number>>
}

export function useMessageFixture(): MessageFixture {
  const startFixture = useSubscriberFixture()
  let values: ReturnType<MessageFixture['current']>
  beforeEach(async () => {
    const fixture = await startFixture()
    values = { fixture, ...(await fixture.createPage({ timeZone: 'Europe/Berlin' })) }
  })

  const database = () => values.fixture.server.services.db
  return {
    current: () => values,
    database,
    addSubscribers(count, prefix) {
      const { fixture, pageId } = values
      return insertSubscribers(database(), fixture.owner.id, pageId, { count, ...(prefix !== undefined && { prefix }) })
    },
    addPost(options) {
      const { fixture, pageId } = values
      const { server, owner } = fixture
      return insertPostWithMessages(server, owner.id, pageId, { now: server.clock.now(), ...options })
    },
    async countStates() {
      const rows = await database().query<{ state: string; count: number }>(
        'select state, count(*)::int from status_messages group by 1',
      )
      return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
    },
  }
}
