import type { LookupAddress, LookupOptions } from 'node:dns'
import { once } from 'node:events'
import http from 'node:http'
import { describe, expect, it } from 'vitest'
import { serveHttp, toIpv4Addresses } from '../../tests/support/loopback-servers.ts'
import { Guard, type ResolvedAddress } from './guard.ts'
import { NO_PRIVATE_TARGETS, parsePrivateTargets } from './private-targets.ts'
import { RefusedAddress } from './refused-address.ts'

const guardResolvingTo = (targets: string, addresses: ResolvedAddress[]) =>
  new Guard(targets === '' ? NO_PRIVATE_TARGETS : parsePrivateTargets(targets), { resolve: async () => addresses })

const mixedAddresses: ResolvedAddress[] = [
  { address: '2606:4700::1', family: 6 },
  { address: 'fd12::1', family: 6 },
  ...toIpv4Addresses('10.0.0.1', '93.184.215.14'),
]

describe('vetted addresses', () => {
  it('are the public addresses of a name, in order', async () => {
    expect(await guardResolvingTo('', mixedAddresses).resolveVetted('example.com')).toEqual([
      mixedAddresses[0],
      mixedAddresses[3],
    ])
  })

  it('are none for a name with only private addresses, which the error does not disclose', async () => {
    await expect(
      guardResolvingTo('', toIpv4Addresses('10.0.0.1')).resolveVetted('intranet.example.com'),
    ).rejects.toThrow(new RefusedAddress('intranet.example.com', 'a private address'))
    await expect(new Guard(NO_PRIVATE_TARGETS).resolveVetted('localhost')).rejects.toThrow(
      'localhost resolves to a loopback address. Belfry connects to it only if BELFRY_PRIVATE_TARGETS allows it',
    )
  })

  it('are refused with a message that names the setting, however long the host name', async () => {
    const host = `${'intranet.'.repeat(27)}example.com`
    // Checks store only the first 300 characters of a message, which must include the name of the setting.
    await expect(guardResolvingTo('', toIpv4Addresses('169.254.169.254')).resolveVetted(host)).rejects.toThrow(
      /^(?=.{200,300}$)(intranet\.){16}.*… resolves to .* if BELFRY_PRIVATE_TARGETS lists that address$/,
    )
  })

  it('exclude a metadata service unless its address is listed', async () => {
    await expect(
      guardResolvingTo('allow', toIpv4Addresses('169.254.169.254')).resolveVetted('innocent.example.com'),
    ).rejects.toThrow(
      'innocent.example.com resolves to the address of a cloud metadata service. Belfry connects to it only if BELFRY_PRIVATE_TARGETS lists that address',
    )
  })

  it('include numeric hosts without a lookup', async () => {
    const guard = new Guard(NO_PRIVATE_TARGETS, { resolve: () => Promise.reject(new Error('the resolver was called')) })
    expect(await guard.resolveVetted('8.8.8.8')).toEqual(toIpv4Addresses('8.8.8.8'))
    expect(await guard.resolveVetted('[2606:4700::1]')).toEqual([{ address: '2606:4700::1', family: 6 }])
    await expect(guard.resolveVetted('127.0.0.1')).rejects.toThrow(
      '127.0.0.1 is a loopback address. Belfry connects to it only if',
    )
    await expect(guard.resolveVetted('[::ffff:127.0.0.1]')).rejects.toThrow('::ffff:127.0.0.1 is a loopback address')
  })

  it.each(['0x7f.1', '2130706433', '0177.0.0.1', '127.1'])(
    'of the notation %s are those that the system would connect to',
    async (host) => {
      await expect(new Guard(NO_PRIVATE_TARGETS).resolveVetted(host)).rejects.toThrow(
        `${host} resolves to a loopback address`,
      )
      expect(await new Guard(parsePrivateTargets('127.0.0.1')).resolveVetted(host)).toEqual(
        toIpv4Addresses('127.0.0.1'),
      )
    },
  )

  it('are none if the resolver returns nothing or invalid addresses', async () => {
    await expect(guardResolvingTo('', []).resolveVetted('example.com')).rejects.toMatchObject({ code: 'ENOTFOUND' })
    await expect(guardResolvingTo('allow', toIpv4Addresses('127.1')).resolveVetted('example.com')).rejects.toThrow(
      RefusedAddress,
    )
  })
})

describe('lookup', () => {
  function runLookup(
    guard: Guard,
    options: LookupOptions,
  ): Promise<{ address: string | LookupAddress[]; family: unknown }> {
    return new Promise((resolve, reject) =>
      guard.lookup('example.com', options, (error, address, family) =>
        error ? reject(error) : resolve({ address, family }),
      ),
    )
  }

  it('returns one address or all addresses', async () => {
    const guard = guardResolvingTo('', mixedAddresses)
    expect(await runLookup(guard, {})).toEqual({ address: '2606:4700::1', family: 6 })
    expect(await runLookup(guard, { all: true })).toEqual({
      address: [mixedAddresses[0], mixedAddresses[3]],
      family: undefined,
    })
  })

  it('returns addresses of the requested family', async () => {
    const guard = guardResolvingTo('', mixedAddresses)
    expect(await runLookup(guard, { family: 4 })).toEqual({ address: '93.184.215.14', family: 4 })
    expect(await runLookup(guard, { family: 'IPv6', all: true })).toMatchObject({ address: [mixedAddresses[0]] })
    await expect(runLookup(guardResolvingTo('', toIpv4Addresses('8.8.8.8')), { family: 6 })).rejects.toMatchObject({
      code: 'ENOTFOUND',
    })
  })

  it('fails if every address is refused, whether one or all are requested', async () => {
    const guard = guardResolvingTo('', toIpv4Addresses('10.0.0.1', '127.0.0.1'))
    await expect(runLookup(guard, {})).rejects.toThrow(new RefusedAddress('example.com', 'a private address'))
    await expect(runLookup(guard, { all: true })).rejects.toThrow(
      new RefusedAddress('example.com', 'a private address'),
    )
  })

  it("passes on the resolver's error", async () => {
    const guard = new Guard(NO_PRIVATE_TARGETS, { resolve: () => Promise.reject(new Error('no name server')) })
    await expect(runLookup(guard, {})).rejects.toThrow('no name server')
  })

  it.each([true, false])('works with node:http agents, with autoSelectFamily %s', async (autoSelectFamily) => {
    const { port, contactedAddresses } = await serveHttp()
    const get = (guard: Guard) =>
      once(
        http.get({ host: 'example.com', port, agent: new http.Agent({ lookup: guard.lookup, autoSelectFamily }) }),
        'response',
      )
    await expect(get(guardResolvingTo('127.0.0.2', toIpv4Addresses('127.0.0.1')))).rejects.toThrow(RefusedAddress)
    expect(contactedAddresses).toEqual([])
    const [response] = await get(guardResolvingTo('127.0.0.2', toIpv4Addresses('127.0.0.1', '127.0.0.2')))
    expect(response.statusCode).toBe(200)
    expect(contactedAddresses).toEqual(['127.0.0.2'])
  })
})
