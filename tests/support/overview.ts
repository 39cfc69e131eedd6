/** Reads the overview through the API. */
import { expect } from 'vitest'
import { decodeOverview, type Overview } from '../../web/lib/overview.ts'
import type { Client } from './client.ts'

export async function readOverview({ session }: { session: Client }, query = ''): Promise<Overview> {
  const { status, body, text } = await session.get(`/api/overview${query}`)
  expect(status, text).toBe(200)
  return decodeOverview(body.data)
}
