import { describe, expect, it } from 'vitest'
import { parseDatabaseUrl } from './database-url.ts'

const listHosts = (url: string) => parseDatabaseUrl(url).hosts.map(({ host, port }) => `${host ?? ''}:${port}`)

describe('the hosts of DATABASE_URL', () => {
  it.each([
    ['postgres://db/belfry', ['db:5432']],
    ['postgresql://u:p@db:6543/belfry', ['db:6543']],
    ['postgres://u:p@a:1,b,[2001:db8::1]:3/belfry', ['a:1', 'b:5432', '2001:db8::1:3']],
    ['postgres://u@%2Frun%2Fone,%2Frun%2Ftwo:6543/belfry', ['/run/one:5432', '/run/two:6543']],
    ['postgres:///belfry?host=a,b&port=7', ['a:7', 'b:7']],
    ['postgres:///belfry?host=/run/postgresql,b&port=7,8', ['/run/postgresql:7', 'b:8']],
    ['postgres:///belfry', [':5432']],
  ])('of %s are read as libpq reads them', (url, hosts) => {
    expect(listHosts(url)).toEqual(hosts)
  })

  it.each([
    ['postgres://a:1:2/belfry', 'must separate several hosts by commas: postgres://user@host1:5432,host2/db'],
    ['postgres://a:99999/belfry', 'has an invalid port: "99999"; use a number from 1 to 65535'],
    ['postgres:///belfry?host=a&port=1,2', 'names 2 ports for 1 host; name one port, or one for each host'],
    ['mysql://a/belfry', 'must look like postgres://user:password@host:5432/belfry'],
  ])('of %s are refused', (url, message) => {
    expect(() => parseDatabaseUrl(url)).toThrow(message)
  })
})

it('the user, the password and the database of DATABASE_URL are decoded', () => {
  expect(parseDatabaseUrl('postgres://a%40b:c%3Ad@e@db/my%20data')).toMatchObject({
    user: 'a@b',
    password: 'c:d@e',
    database: 'my data',
  })
  expect(parseDatabaseUrl('postgres://u@db/x?user=v&password=w&dbname=y&connect_timeout=7')).toMatchObject({
    user: 'v',
    password: 'w',
    database: 'y',
    connectTimeout: 7,
  })
})

describe('the parameters of DATABASE_URL', () => {
  it.each([
    ['', 'prefer'],
    ['?ssl=true', 'require'],
    ['?sslmode=verify-full', 'verify-full'],
    ['?sslrootcert=system', 'verify-full'],
    ['?sslmode=verify-ca&sslrootcert=/ca.pem', 'verify-ca'],
    ['?target_session_attrs=read-write', 'prefer'],
    ['?target_session_attrs=primary&schema=public', 'prefer'],
  ])('"%s" mean the sslmode %s', (query, sslMode) => {
    expect(parseDatabaseUrl(`postgres://u:hush@db/belfry${query}`).sslMode).toBe(sslMode)
  })

  it.each([
    ['target_session_attrs=standby', 'has target_session_attrs=standby; use one of any, read-write, primary'],
    ['sslmode=no-verify', 'has sslmode=no-verify; use one of disable, allow, prefer, require, verify-ca, verify-full'],
    ['sslmode=require&sslrootcert=system', 'combines sslrootcert=system with sslmode=require; use sslmode=verify-full'],
    [
      'sslmode=verify-ca',
      'has sslmode=verify-ca without sslrootcert; add sslrootcert=<file>, or use sslmode=verify-full',
    ],
    ['sslnegotiation=direct', 'combines sslnegotiation=direct with sslmode=prefer; use sslmode=require or stricter'],
    ['sslcert=/client.pem', 'must have both sslcert and sslkey, or neither'],
    ['sslcrl=/revoked.pem', "has the parameter sslcrl, which Belfry doesn't support"],
    ['connect_timeout=soon', 'has connect_timeout=soon; use a number of seconds'],
  ])('%s are refused without showing the password', (query, message) => {
    const parse = () => parseDatabaseUrl(`postgres://u:hush@db/belfry?${query}`)
    expect(parse).toThrow(message)
    expect(parse).not.toThrow('hush')
  })
})

describe('a DATABASE_URL', () => {
  it.each([
    ['50%hush', 'has a "%" that is not followed by two hexadecimal digits; write it as %25'],
    ['123456?hush', 'has a "?" before the "@"; write a "?" in the password as %3F'],
    ['123456/hush', 'has a "/" before the "@"; write a "/" in the password as %2F'],
  ])('is refused without showing its password if the password is "%s", not encoded', (password, message) => {
    const parse = () => parseDatabaseUrl(`postgres://u:${password}@db/belfry`)
    expect(parse).toThrow(message)
    expect(parse).not.toThrow('hush')
  })
})
