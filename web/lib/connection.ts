/** Whether the server answers, and whether it still knows who we are. */
import { useEffect, useState } from 'preact/hooks'

export type ConnectionState = 'fine' | 'away' | 'signed out'

let current: ConnectionState = 'fine'
const listeners = new Set<(connection: ConnectionState) => void>()

function become(next: ConnectionState): void {
  if (next === current) return
  current = next
  for (const listener of [...listeners]) listener(next)
}

/** It answered, whatever it said. Whoever is signed out stays so until they sign in again. */
export function markConnected(): void {
  if (current === 'away') become('fine')
}

export function markDisconnected(): void {
  if (current === 'fine') become('away')
}

export function markSignedOut(): void {
  become('signed out')
}

export function markSignedIn(): void {
  become('fine')
}

/** Called at every change until it is told to stop. */
export function onConnectionChange(listener: (connection: ConnectionState) => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export function useConnectionState(): ConnectionState {
  const [connection, setConnection] = useState(current)
  useEffect(() => onConnectionChange(setConnection), [])
  return connection
}
