import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { LongestFirstSequencer } from './tests/support/sequencer.ts'
import { SlowestFilesReporter } from './tests/support/slowest-files.ts'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'tests/**/*.test.ts', 'web/**/*.test.ts'],
    // `npm run test:install` runs the tests in tests/install.
    exclude: ['**/node_modules/**', 'tests/install/**'],
    globalSetup: ['tests/support/global-setup.ts'],
    runner: 'tests/support/test-runner.ts',
    // The timeouts are long, because the machine may be busy with other work.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    // The test files of a worker share their modules, because loading the server takes a second. No test replaces a
    // module.
    isolate: false,
    // Node runs TypeScript itself, so that nothing has to go through Vite.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    reporters: ['default', new SlowestFilesReporter()],
    sequence: { sequencer: LongestFirstSequencer },
    // Tests often wait for a timer, PostgreSQL or a browser. On two cores, four workers leave a sixteenth of the processor time idle. Five
    // keep the cores busy. With seven, the same tests need a fifth more processor time.
    maxWorkers: Math.max(5, availableParallelism()),
    // Short-lived objects of a test then rarely outlive a garbage collection, which takes a twentieth less processor time.
    execArgv: ['--max-semi-space-size=32'],
  },
})
