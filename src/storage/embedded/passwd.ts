import { readFileSync } from 'node:fs'
import type { UserIds } from './identity.ts'

/** Finds the unprivileged user `nobody` in `file`. The user must be in `file`, because initdb needs the user's name. */
export function findNobody(file = '/etc/passwd'): UserIds | undefined {
  const users = readUsers(file)
  const user = users.find(({ name }) => name === 'nobody') ?? users.find(({ uid }) => uid === 65534)
  return user && user.uid > 0 ? { uid: user.uid, gid: user.gid } : undefined
}

/** Returns the name that `file` gives to a user id. */
export function findUserName(uid: number, file = '/etc/passwd'): string | undefined {
  return readUsers(file).find((user) => user.uid === uid)?.name
}

function readUsers(file: string) {
  let text = ''
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    // A container image may have no user list.
  }
  return text.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':')
    return name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : []
  })
}
