/** The system user that runs the service. */
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runAdminCommand, tryAdminCommand } from './admin-command.ts'
import { SERVICE_USER, STATE_FOLDER } from './layout.ts'

export interface SystemUser {
  uid: number
  gid: number
}

/** Creates the user and a group of the same name, unless they exist. Returns whether the user is new. */
export async function ensureSystemUser(root: string): Promise<{ user: SystemUser; isNew: boolean }> {
  const existingUser = await findSystemUser(root)
  if (existingUser !== undefined) return { user: existingUser, isNew: false }
  // systemd-sysusers creates the files passwd and group in a new image, but not their folder.
  await mkdir(join(root, 'etc'), { recursive: true })
  const line = `u ${SERVICE_USER} - "Belfry server" ${STATE_FOLDER}`
  await runAdminCommand(['systemd-sysusers', `--root=${root}`, '--inline', line])
  const user = await findSystemUser(root)
  if (user === undefined) throw new Error(`systemd-sysusers did not create the user ${SERVICE_USER}`)
  return { user, isNew: true }
}

export async function findSystemUser(root: string): Promise<SystemUser | undefined> {
  const [, , uid, gid] = (await findPasswdLine(root))?.split(':') ?? []
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) }
}

/** On the running system, the user may also come from a directory service, which `getent` asks. */
async function findPasswdLine(root: string): Promise<string | undefined> {
  const text =
    root === '/'
      ? await tryAdminCommand(['getent', 'passwd', SERVICE_USER])
      : await readFile(join(root, 'etc/passwd'), 'utf8').catch(() => '')
  return text?.split('\n').find((line) => line.startsWith(`${SERVICE_USER}:`))
}

/** userdel also deletes the group of the same name. */
export async function deleteSystemUser(): Promise<void> {
  await runAdminCommand(['userdel', SERVICE_USER])
}
