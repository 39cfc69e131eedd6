/** Interprets the keys that the user pressed while the palette was still opening, and Enter while its records are loading. */

export interface TypedKeys {
  text: string
  /** Whether Enter was pressed after the text. */
  isEntered: boolean
  /** Whether Escape was pressed, so that the palette doesn't open. */
  isCancelled: boolean
}

/** Ignores keys after Enter, because Enter ends the search. */
export function readTypedKeys(keys: readonly string[]): TypedKeys {
  const typed: TypedKeys = { text: '', isEntered: false, isCancelled: keys.includes('Escape') }
  for (const key of keys) {
    if (key === 'Enter') return { ...typed, isEntered: true }
    if (key === 'Backspace') typed.text = [...typed.text].slice(0, -1).join('')
    else if (key !== 'Escape') typed.text += key
  }
  return typed
}

interface EnterState {
  /** Whether the user has moved to a result. */
  isChosen: boolean
  /** Whether the list has a result that Enter would open. */
  hasActiveItem: boolean
  /** Whether some records have never been loaded. */
  isLoading: boolean
  /** Whether some records are being loaded, for the first time or again. */
  isFetching: boolean
}

/**
 * Decides what Enter does. Until all records have been loaded, another result could become the first one. Records that are being
 * loaded again rarely change, so Enter waits for them only if nothing was found.
 */
export function decideEnter({
  isChosen,
  hasActiveItem,
  isLoading,
  isFetching,
}: EnterState): 'open' | 'wait' | 'ignore' {
  if (hasActiveItem && (isChosen || !isLoading)) return 'open'
  return isFetching ? 'wait' : 'ignore'
}
