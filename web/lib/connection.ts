/** Tracks whether the server responds and whether the session is still valid. */
import { useEffect, useState } from 'preact/hooks'

export type ConnectionState = 'connected' | 'disconnected' | 'signed out'

let currentState: ConnectionState = 'connected'
const listeners = new Set<(connection: ConnectionState) => void>()

function setState(next: ConnectionState): void {
  if (next === currentState) return
  currentState = next
  for (const listener of [...listeners]) listener(next)
}

/** Call after any response, even an error. Only `markSignedIn` ends the state 'signed out'. */
export function markConnected(): void {
  if (currentState === 'disconnected') setState('connected')
}

export function markDisconnected(): void {
  if (currentState === 'connected') setState('disconnected')
}

export function markSignedOut(): void {
  setState('signed out')
}

export function markSignedIn(): void {
  setState('connected')
}

/** Returns a function that removes the listener. */
export function onConnectionChange(listener: (connection: ConnectionState) => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export function useConnectionState(): ConnectionState {
  const [connection, setConnection] = useState(currentState)
  useEffect(() => onConnectionChange(setConnection), [])
  return connection
}
