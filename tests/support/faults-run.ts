/** Whether `npm run faults` runs the tests, which sets this variable. Then tests have more rounds and cases than in `npm test`. */
export const isFaultsRun = process.env['BELFRY_FAULT_ROUNDS'] !== undefined
