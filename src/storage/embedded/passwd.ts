import { readFileSync } from 'node:fs'
import type { UserIds } from './identity.ts'

/** The unprivileged user every system has, where it is listed: initdb looks up its own user's name. */
export function findNobody(file = '/etc/passwd'): UserIds | undefined {
  const users = readUsers(file)
  const found = users.find(({ name }) => name === 'nobody') ?? users.find(({ uid }) => uid === 65534)
  return found && found.uid > 0 ? { uid: found.uid, gid: found.gid } : undefined
}

function readUsers(file: string) {
  let text = ''
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    // An image without a user list: then there is nobody.
  }
  return text.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':')
    return name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : []
  })
}
