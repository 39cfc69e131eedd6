import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createTestFolder } from '../../../tests/support/embedded.ts'
import { findNobody } from './passwd.ts'

function findNobodyIn(text: string) {
  const file = join(createTestFolder(), 'passwd')
  writeFileSync(file, text)
  return findNobody(file)
}

describe('the unprivileged user', () => {
  it('is `nobody`, whatever its id', () => {
    const users = 'root:x:0:0:root:/root:/bin/sh\nnobody:x:99:98:nobody:/:/sbin/nologin\n'
    expect(findNobodyIn(users)).toEqual({ uid: 99, gid: 98 })
  })

  it('can be `nfsnobody` instead', () => {
    expect(findNobodyIn('nfsnobody:x:65534:65533::/:/sbin/nologin')).toEqual({ uid: 65534, gid: 65533 })
  })

  it('is undefined when no such user is listed', () => {
    expect(findNobodyIn('root:x:0:0:root:/root:/bin/sh')).toBeUndefined()
    expect(findNobody('/no/such/file')).toBeUndefined()
  })
})
