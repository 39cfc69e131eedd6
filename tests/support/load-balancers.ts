/** nginx and HAProxy in front of several Belfry nodes. Everything listens on 127.0.0.1. */
import { findFreePort } from './free-port.ts'
import { formatNginxConfig, type RunningProxy, startProxyProgram } from './proxy-programs.ts'

export interface LoadBalancer extends RunningProxy {
  /** URL without a path. */
  address: string
}

export type LoadBalancerName = 'nginx' | 'haproxy'

interface BalancedNodes {
  ports: readonly number[]
  /** How often HAProxy requests `/readyz`, such as "2s", which is its default. nginx has no such checks. */
  checkInterval: string
}

/** Only addresses and files differ from the defaults of nginx. */
function formatNginxBalancer(folder: string, port: number, nodes: BalancedNodes): string {
  return formatNginxConfig(
    folder,
    `
  upstream belfry {
    ${nodes.ports.map((nodePort) => `server 127.0.0.1:${nodePort};`).join('\n    ')}
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://belfry;
    }
  }`,
  )
}

/**
 * The timeouts are those of Debian's configuration file. "timeout check" keeps short intervals from limiting how long a
 * response may take.
 */
function formatHaproxyBalancer(_folder: string, port: number, { ports, checkInterval }: BalancedNodes): string {
  return `
defaults
  mode http
  timeout connect 5000
  timeout client 50000
  timeout server 50000
  timeout check 5000
listen belfry
  bind 127.0.0.1:${port}
  option httpchk GET /readyz
  ${ports.map((nodePort) => `server node${nodePort} 127.0.0.1:${nodePort} check inter ${checkInterval}`).join('\n  ')}
`
}

export async function startLoadBalancer(name: LoadBalancerName, nodes: BalancedNodes): Promise<LoadBalancer> {
  const port = await findFreePort()
  const formatBalancer = { nginx: formatNginxBalancer, haproxy: formatHaproxyBalancer }[name]
  const address = `http://127.0.0.1:${port}`
  const proxy = await startProxyProgram(name, {
    formatConfig: (folder) => formatBalancer(folder, port, nodes),
    isResponding: () => isResponding(address),
  })
  return { ...proxy, address }
}

const isResponding = (address: string) =>
  fetch(`${address}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  )
