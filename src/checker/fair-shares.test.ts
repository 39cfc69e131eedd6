import { describe, expect, it } from 'vitest'
import { shareClaims, type UserDemand } from './fair-shares.ts'

const noLimits = { allowance: { overdue: 1_000_000, onTime: 1_000_000 }, room: 1_000_000 }
const demand = (teamId: number, fields: Partial<UserDemand>): UserDemand => ({
  teamId,
  overdue: 0,
  onTime: 0,
  heldSlots: 0,
  ...fields,
})

describe('check slots', () => {
  it('go to a single user, except for a fifth that stays free for other users', () => {
    const shares = shareClaims([demand(1, { onTime: 50_000 })], { freeSlots: 8_000, ...noLimits })
    expect(shares).toEqual([{ teamId: 1, overdue: 0, onTime: 6_400 }])
  })

  it('remain free for other users, although one user holds as many as possible', () => {
    const demands = [
      demand(1, { overdue: 8_000, onTime: 8_000, heldSlots: 6_400 }),
      demand(2, { onTime: 3 }),
      demand(3, { overdue: 5, onTime: 5 }),
    ]
    expect(shareClaims(demands, { freeSlots: 1_600, ...noLimits })).toEqual([
      { teamId: 1, overdue: 0, onTime: 0 },
      { teamId: 2, overdue: 0, onTime: 3 },
      { teamId: 3, overdue: 5, onTime: 5 },
    ])
  })

  it('are divided equally between users who want too many, and some stay free', () => {
    const demands = Array.from({ length: 20 }, (_, n) => demand(n, { onTime: 8_000 }))
    const shares = shareClaims(demands, { freeSlots: 8_000, ...noLimits })
    expect(new Set(shares.map(({ onTime }) => onTime))).toEqual(new Set([395]))
    expect(shareClaims([demand(99, { onTime: 60 })], { freeSlots: 8_000 - 20 * 395, ...noLimits })).toEqual([
      { teamId: 99, overdue: 0, onTime: 60 },
    ])
  })

  it('go to overdue checks first, so that no overdue check waits for ever', () => {
    const demands = [demand(1, { overdue: 100, onTime: 100 })]
    expect(shareClaims(demands, { freeSlots: 100, ...noLimits })).toEqual([{ teamId: 1, overdue: 80, onTime: 0 }])
  })

  it('are given to nobody while none is free', () => {
    expect(shareClaims([demand(1, { overdue: 5 })], { freeSlots: 0, ...noLimits })).toEqual([
      { teamId: 1, overdue: 0, onTime: 0 },
    ])
  })
})

describe('claims', () => {
  it('of a user with a few due checks are all allowed, although other users exceed the rate', () => {
    const demands = [demand(1, { overdue: 8_000, onTime: 8_000 }), demand(2, { overdue: 3, onTime: 2 })]
    const allowance = { overdue: 50, onTime: 40 }
    expect(shareClaims(demands, { ...noLimits, freeSlots: 8_000, allowance })).toEqual([
      { teamId: 1, overdue: 47, onTime: 38 },
      { teamId: 2, overdue: 3, onTime: 2 },
    ])
  })

  it('use the whole allowance: the first users get what cannot be divided equally', () => {
    const demands = [1, 2, 3].map((teamId) => demand(teamId, { onTime: 100 }))
    expect(
      shareClaims(demands, { ...noLimits, freeSlots: 8_000, allowance: { overdue: 0, onTime: 50 } }).map(
        ({ onTime }) => onTime,
      ),
    ).toEqual([17, 17, 16])
  })

  it('that exceed the room are divided equally, whether they are overdue or on time', () => {
    const demands = [
      demand(1, { overdue: 8_000, onTime: 8_000 }),
      demand(2, { onTime: 30 }),
      demand(3, { overdue: 20 }),
    ]
    expect(shareClaims(demands, { ...noLimits, freeSlots: 8_000, room: 100 })).toEqual([
      { teamId: 1, overdue: 50, onTime: 0 },
      { teamId: 2, overdue: 0, onTime: 30 },
      { teamId: 3, overdue: 20, onTime: 0 },
    ])
  })

  it('of many users are one for each of the first users, if the room is too small for all', () => {
    const demands = [1, 2, 3, 4].map((teamId) => demand(teamId, { onTime: 5 }))
    const shares = shareClaims(demands, { ...noLimits, freeSlots: 8_000, room: 2 })
    expect(shares.map(({ onTime }) => onTime)).toEqual([1, 1, 0, 0])
  })
})
