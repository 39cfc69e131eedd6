import { PlugZap } from 'lucide-preact'
import { useState } from 'preact/hooks'
import type { SingleSignOnTest } from '../../../src/single-sign-on/schema.ts'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { api, type ItemResponse } from '../../lib/api.ts'
import { showProblem } from '../../lib/toasts.ts'

/** The settings to test. Without them, the saved ones are tested. */
export interface TestInput {
  issuer?: string
  client_id?: string
  client_secret?: string
}

export function TestProvider({ input }: { input: TestInput }) {
  const [isBusy, setBusy] = useState(false)
  const [result, setResult] = useState<SingleSignOnTest>()
  async function test() {
    setBusy(true)
    setResult(undefined)
    try {
      const path = 'api/server/settings/single-sign-on/test'
      setResult((await api.post<ItemResponse<SingleSignOnTest>>(path, input)).data)
    } catch (error) {
      showProblem(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <div aria-live="polite">{result && <Result result={result} />}</div>
      <div class="row">
        <Button icon={PlugZap} busy={isBusy} onClick={() => void test()}>
          Test
        </Button>
        <span class="muted small">Asks the provider for its settings, and whether it knows the client.</span>
      </div>
    </>
  )
}

const clientTexts = {
  accepted: 'It accepts the client ID and the secret.',
  rejected: 'It rejects the client ID or the secret.',
  unknown: "It doesn't say whether the client ID and the secret are right. Sign in to find out.",
}

function Result({ result: { problem, issuer, client, signs_out, ends_sessions } }: { result: SingleSignOnTest }) {
  if (problem !== null) return <Notice tone="bad">{problem}</Notice>
  return (
    <Notice tone={client === 'rejected' ? 'bad' : 'good'}>
      <p>
        <strong>The provider responds as {issuer}.</strong> {client !== null && clientTexts[client]}
      </p>
      <p class="small">
        {signs_out
          ? 'Signing out of Belfry also signs out there.'
          : 'Signing out of Belfry leaves people signed in there.'}{' '}
        {ends_sessions
          ? 'It can end sessions in Belfry (back-channel logout).'
          : "It can't end sessions in Belfry (no back-channel logout)."}
      </p>
    </Notice>
  )
}
