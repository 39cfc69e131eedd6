/** Explains why a check failed: what happened, and what it usually means. */
import type { Cause } from '../../src/shared/causes.ts'

export const causeTexts: Record<Cause, { title: string; explanation: string }> = {
  dns: {
    title: 'DNS problem',
    explanation:
      "The name couldn't be resolved, or its records aren't the expected ones. Check its spelling and its DNS records.",
  },
  connect: {
    title: 'Connection failed',
    explanation: "The server refused the connection or couldn't be reached. It may be offline or behind a firewall.",
  },
  tls: {
    title: 'TLS error',
    explanation: "The certificate isn't valid for this host, or the TLS handshake failed.",
  },
  timeout: {
    title: 'Timeout',
    explanation: 'No complete response arrived before the timeout.',
  },
  http_status: {
    title: 'Unexpected status code',
    explanation: "The server responded, but the status code isn't one of the expected ones.",
  },
  keyword: {
    title: 'Response text mismatch',
    explanation: "The response doesn't contain the required text, or it contains the forbidden text.",
  },
  redirect: {
    title: 'Redirect error',
    explanation:
      "There were too many redirects, or Belfry couldn't follow one of them: it has no valid URL, or it would send the request body to another origin.",
  },
  ping: {
    title: 'No ping reply',
    explanation: 'The host may be offline, or it may ignore pings.',
  },
  blocked: {
    title: 'Address not allowed',
    explanation:
      'Belfry connects to private and reserved networks only if the server operator allows it. Otherwise anyone with an account could probe the internal network.',
  },
  body: {
    title: 'Incomplete response',
    explanation: 'The server began to respond, but the content was cut off or damaged.',
  },
  slow: {
    title: 'Slow response',
    explanation: 'The server responded correctly, but later than the maximum response time of this monitor.',
  },
  json: {
    title: 'JSON mismatch',
    explanation: "The JSON in the response doesn't have the values that you expect.",
  },
  tcp: {
    title: 'Unexpected data',
    explanation: "The port accepts connections, but the server didn't send the expected text.",
  },
  certificate: {
    title: 'Certificate problem',
    explanation: "The certificate has expired, isn't valid for this name, or isn't trusted. Renew or replace it.",
  },
  domain: {
    title: 'Domain problem',
    explanation: 'The domain is on hold, its registration has expired, or it is not registered. Ask your registrar.',
  },
  heartbeat_missed: {
    title: 'Missed beat',
    explanation: "The job didn't report in time. It may not have started, or it is still running.",
  },
  heartbeat_failed: {
    title: 'Job failed',
    explanation: 'The job reported a failure. The page of the monitor shows its exit code and its last output.',
  },
  silence: {
    title: 'No visits',
    explanation: 'No visits have arrived for longer than is plausible at this time of the week.',
  },
}

/** The details of a check may lack a full stop, and those of older checks start in lower case. */
export function toSentence(detail: string): string {
  const text = detail.charAt(0).toUpperCase() + detail.slice(1)
  return /[.!?…]$/.test(text) ? text : `${text}.`
}
