import { describe, expect, it } from 'vitest'
import { decideEnter, readTypedKeys } from './typed-keys.ts'

describe('keys that were pressed while the palette was opening', () => {
  it.each([
    [[], { text: '' }],
    [['s', 'h', ' ', 'É', '🏁'], { text: 'sh É🏁' }],
    [['s', '🏁', 'Backspace', 'Backspace', 'Backspace', 'a'], { text: 'a' }],
    [['a', 'Enter', 'b', 'Backspace'], { text: 'a', isEntered: true }],
    [['a', 'Escape'], { text: 'a', isCancelled: true }],
    [['a', 'Enter', 'Escape'], { text: 'a', isEntered: true, isCancelled: true }],
  ])('%j are the search text and Enter', (keys, expected) => {
    expect(readTypedKeys(keys)).toEqual({ isEntered: false, isCancelled: false, ...expected })
  })
})

describe('Enter', () => {
  const state = { isChosen: false, hasActiveItem: true, isLoading: false, isFetching: false }
  it.each([
    ['opens the first result', {}, 'open'],
    ['opens the first result while records are loaded again', { isFetching: true }, 'open'],
    ['waits for the records, which may contain a better result', { isLoading: true, isFetching: true }, 'wait'],
    ['opens what the user moved to', { isChosen: true, isLoading: true, isFetching: true }, 'open'],
    ['waits if nothing was found yet', { hasActiveItem: false, isFetching: true }, 'wait'],
    ['does nothing if nothing was found', { hasActiveItem: false }, 'ignore'],
  ] as const)('%s', (_title, change, expected) => {
    expect(decideEnter({ ...state, ...change })).toBe(expected)
  })
})
