/** The exact lines that an admin has to add, for each way in which Belfry runs. This module is pure. */
import { formatCommand } from '../lib/program.ts'
import type { GoLiveKey } from '../shared/server-settings.ts'
import { explainBackups } from './backup-instructions.ts'
import type { Deployment } from './deployment.ts'
import type { Instruction } from './instruction.ts'

type SettingLines = Record<string, string>

const urlLines: SettingLines = { BELFRY_URL: 'https://stats.example.com' }
const mailLines: SettingLines = {
  BELFRY_SMTP_URL: 'smtp://user:password@mail.example.com:587',
  BELFRY_MAIL_FROM: 'Belfry <belfry@example.com>',
}

export function createInstruction(
  key: GoLiveKey,
  facts: { deployment: Deployment; port: number; url?: string | undefined; hasOwnDatabase: boolean },
): Instruction {
  const { deployment, port, url, hasOwnDatabase } = facts
  if (key === 'url') return explainSetting(deployment, urlLines)
  if (key === 'mail') return explainSetting(deployment, mailLines)
  return key === 'https' ? explainHttps(deployment, port, url) : explainBackups(deployment, hasOwnDatabase)
}

export function explainSetting({ kind, configFile }: Deployment, values: SettingLines): Instruction {
  const envLines = Object.entries(values).map(([name, value]) => `${name}=${value}`)
  const yamlLines = Object.entries(values).map(([name, value]) => `${name}: ${value}`)
  switch (kind) {
    case 'container':
      return {
        where: 'In compose.yaml, under services → belfry → environment (replace lines with the same names):',
        lines: yamlLines,
        next: 'Then run: docker compose up -d',
      }
    case 'kubernetes':
      return {
        where:
          'In the ConfigMap belfry, under data (replace lines with the same names, and put passwords in the Secret instead):',
        lines: yamlLines,
        next: 'Then apply the ConfigMap, and restart the Deployments.',
      }
    case 'service':
      return {
        where: `In ${configFile ?? '/etc/belfry/belfry.env'}:`,
        lines: envLines,
        next: 'Then run: sudo systemctl restart belfry',
      }
    case 'program':
      return {
        where:
          configFile === undefined
            ? 'In a file belfry.env, in the folder in which you start Belfry:'
            : `In ${configFile}:`,
        lines: envLines,
        next: `Then stop Belfry with Ctrl-C, and start it again: ${formatCommand()}`,
      }
  }
}

/** Certificates are for names such as `stats.example.com`, not for IP addresses and `localhost`. */
function findCertificateHost(url: string | undefined): string | undefined {
  const hostname = url && new URL(url).hostname
  return hostname && /\.[a-z][a-z0-9-]*$/.test(hostname) ? hostname : undefined
}

function explainHttps({ kind }: Deployment, port: number, url: string | undefined): Instruction {
  if (kind === 'kubernetes') {
    return {
      where: 'Create an Ingress with TLS, for example from:',
      lines: ['packaging/kubernetes/ingress.example.yaml'],
      next: null,
    }
  }
  const host = findCertificateHost(url)
  return {
    where:
      'Use a reverse proxy with a certificate. For Caddy, which gets the certificate by itself, in /etc/caddy/Caddyfile:',
    // compose.yaml publishes port 3000 of the container.
    lines: [`${host ?? 'stats.example.com'} {`, `  reverse_proxy 127.0.0.1:${kind === 'container' ? 3000 : port}`, '}'],
    next: `Then run: sudo systemctl reload caddy${host === undefined ? '' : `, and change the public URL to https://${host}`}`,
  }
}
