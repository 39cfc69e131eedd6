/** What the server prints when it is ready. This module is pure. */
import { toLocalUrl } from './local-url.ts'

interface Greeting {
  /** The address on which the server listens. */
  address: string
  publicUrl: string | undefined
  /** The path of the one-time link, until an account exists. */
  setupPath: string | undefined
}

/** Besides the public URL, the local one is printed: a reverse proxy may not be set up yet. */
export function formatGreeting({ address, publicUrl, setupPath }: Greeting): string {
  const localUrl = toLocalUrl(address)
  const url = publicUrl ?? localUrl
  const hasLocalUrl = url !== localUrl
  const nextSteps =
    setupPath === undefined
      ? ['  Open it in a browser and sign in.']
      : [
          '  Open this link to create your admin account. It works once:',
          `  ${url}${setupPath}`,
          ...(hasLocalUrl
            ? ['  Or on this machine, for example before the proxy is set up:', `  ${localUrl}${setupPath}`]
            : []),
          '',
        ]
  return [
    '',
    `  Belfry is running at ${url}`,
    ...(hasLocalUrl ? [`  On this machine: ${localUrl}`] : []),
    ...nextSteps,
    `  API documentation: ${url}/docs`,
    '  Press Ctrl-C to stop.',
    '',
    '',
  ].join('\n')
}
