/** Whether the server answers, and whether it still knows who we are. */
import { useEffect, useState } from 'preact/hooks'

export type Connection = 'fine' | 'away' | 'signed out'

let current: Connection = 'fine'
const listeners = new Set<(connection: Connection) => void>()

function become(next: Connection): void {
  if (next === current) return
  current = next
  for (const listener of [...listeners]) listener(next)
}

/** It answered, whatever it said. Whoever is signed out stays so until they sign in again. */
export function noteAnswer(): void {
  if (current === 'away') become('fine')
}

export function noteAbsence(): void {
  if (current === 'fine') become('away')
}

export function noteSignedOut(): void {
  become('signed out')
}

export function noteSignedIn(): void {
  become('fine')
}

/** Called at every change until it is told to stop. */
export function watchConnection(listener: (connection: Connection) => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export function useConnection(): Connection {
  const [connection, setConnection] = useState(current)
  useEffect(() => watchConnection(setConnection), [])
  return connection
}
