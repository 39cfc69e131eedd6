import { describe, expect, it } from 'vitest'
import { parseFping, parsePing } from './replies.ts'

describe('ping replies', () => {
  it('are read from the output of fping, per address', () => {
    const output = [
      'ICMP Host Unreachable from 127.0.0.1 for ICMP Echo sent to 127.0.0.9',
      '127.0.0.1 : 0.044 0.046 0.042',
      '::1       : 0.5 - 1.5',
      '127.0.0.2 : - - -',
      '',
    ].join('\n')
    expect(Object.fromEntries(parseFping(output))).toEqual({
      '127.0.0.1': { sent: 3, received: 3, meanMs: expect.closeTo(0.044) },
      '::1': { sent: 3, received: 2, meanMs: 1 },
      '127.0.0.2': { sent: 3, received: 0, meanMs: null },
    })
  })

  it('are read from the summaries of ping from iputils and BusyBox', () => {
    const iputils =
      '3 packets transmitted, 2 received, 33.3333% packet loss, time 636ms\nrtt min/avg/max/mdev = 0.025/0.030/0.033/0.003 ms\n'
    const busybox =
      '3 packets transmitted, 3 packets received, 0% packet loss\nround-trip min/avg/max = 0.049/0.077/0.107 ms\n'
    const allLost = '3 packets transmitted, 0 received, 100% packet loss, time 408ms\n\n'
    expect(parsePing(iputils)).toEqual({ sent: 3, received: 2, meanMs: 0.03 })
    expect(parsePing(busybox)).toEqual({ sent: 3, received: 3, meanMs: 0.077 })
    expect(parsePing(allLost)).toEqual({ sent: 3, received: 0, meanMs: null })
    expect(parsePing('ping: connect: Network is unreachable')).toBeUndefined()
  })
})
