/** Opens the port. */
import type { AddressInfo } from 'node:net'
import type { Config } from '../config/config.ts'
import type { App } from '../http/app-type.ts'
import { ConfigurationError, StartupError } from '../lib/startup-error.ts'

export async function listen(app: App, { host, port }: Config): Promise<void> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') {
      throw new StartupError(
        `Port ${port} on ${host} is already in use.`,
        'Set PORT to another port, or stop the other program.',
      )
    }
    if (code === 'EACCES') {
      throw new ConfigurationError(`No permission to listen on port ${port}.`, 'Set PORT to 1024 or higher.')
    }
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new StartupError(`This machine doesn't have the address ${host}.`, 'Set HOST to 127.0.0.1, 0.0.0.0 or ::.')
    }
    throw error
  }
}

export function formatAddress({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
