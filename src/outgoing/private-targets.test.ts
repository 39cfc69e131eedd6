import { describe, expect, it } from 'vitest'
import { NO_PRIVATE_TARGETS, parsePrivateTargets } from './private-targets.ts'

describe('private targets', () => {
  it('are addresses and ranges', () => {
    expect(parsePrivateTargets('10.0.0.0/8, fd12::/16,192.168.1.7')).toEqual({
      allowsAll: false,
      ranges: ['10.0.0.0/8', 'fd12::/16', '192.168.1.7'],
    })
  })

  it('include all private addresses with `allow`, plus metadata addresses listed one by one', () => {
    expect(parsePrivateTargets('allow')).toEqual({ allowsAll: true, ranges: [] })
    expect(parsePrivateTargets('allow, 169.254.169.254')).toEqual({ allowsAll: true, ranges: ['169.254.169.254'] })
  })

  it('are empty by default', () => {
    expect(NO_PRIVATE_TARGETS).toEqual({ allowsAll: false, ranges: [] })
  })

  it.each([
    '',
    'Allow',
    'deny',
    'localhost',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/08',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0',
    '010.0.0.0',
    'fd12::/129',
    'fe80::1%eth0',
    '[::1]',
    '10.0.0.0/8,',
    '10.0.0.0/8 192.168.0.0/16',
    '::ffff:10.0.0.0/95',
  ])('cannot be "%s"', (text) => {
    expect(() => parsePrivateTargets(text)).toThrow('is not "allow", an IP address, or a CIDR range such as')
  })
})
