// npm run escrutinio -- acta.json [--testigo recibo.eml]… recounts a published record from its file alone. The record is of the
// final or of the popularity vote. A record of the vote is compared with witnesses that were kept while the vote was open.
import { open, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { errorCode } from '#app/core/process/durable-files.server.ts'
import { recordNotes } from '#app/finals/record/record-notes.ts'
import { formatPoints } from '#app/finals/record/scoring.ts'
import { candidateNameOf, rulesOfRound } from '#app/finals/record/state.ts'
import { type FinalVerification, looksLikeFinalRecord, verifyFinal } from '#app/finals/record/verification.ts'
import { PUBLIC_KEY_PATTERN } from '#app/voting/record/signature.ts'
import { verifyRecordFile } from '#app/voting/record/verification.server.ts'
import { UNPROVEN_ORIGIN_NOTE, type Verification } from '#app/voting/record/verification.ts'
import { readWitness, WITNESS_MESSAGES, type Witness } from '#app/voting/record/witness.ts'
import { inOwnWords } from '../server/end-with-fault.ts'

const USAGE =
  'Uso: npm run escrutinio -- acta.json [--testigo recibo.eml] [--testigo sellos.json]… [--llave LLAVE]\n' +
  'El acta se descarga de /misspopularidad/acta.json; la de la final, de /final/acta.json. Un testigo es lo que alguien guardó durante la votación: el correo con su recibo, o /misspopularidad/sellos.json. La llave del sitio está en cada recibo y en /misspopularidad/acta.'

/** Ends the command with exit code 2, since its input cannot be used. */
function failUsage(message: string): never {
  console.error(inOwnWords(message))
  process.exit(2)
}

function readArguments(): { file: string; witnessPaths: string[]; publicKeys: string[] } {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { testigo: { type: 'string', multiple: true }, llave: { type: 'string', multiple: true } },
    })
    const [file, ...rest] = positionals
    if (file && rest.length === 0) return { file, witnessPaths: values.testigo ?? [], publicKeys: values.llave ?? [] }
  } catch {
    // parseArgs throws for an unknown option.
  }
  return failUsage(USAGE)
}

const isMissing = (error: unknown) => errorCode(error) === 'ENOENT'

async function loadWitness(path: string): Promise<Witness> {
  const bytes = await readFile(path).catch((error: unknown) =>
    failUsage(isMissing(error) ? `No existe el archivo ${path}.` : `No se puede leer ${path}.`),
  )
  const witnessResult = await readWitness(basename(path), bytes)
  return witnessResult.ok ? witnessResult.witness : failUsage(`${path} ${WITNESS_MESSAGES[witnessResult.reason]}`)
}

const { file, witnessPaths, publicKeys } = readArguments()
if (!publicKeys.every((key) => PUBLIC_KEY_PATTERN.test(key)))
  failUsage(
    'La llave del sitio son 43 letras, números, guiones y rayas: cópiala entera de un recibo o de la página del acta.',
  )
const failRecord = (error: unknown) =>
  failUsage(
    isMissing(error) ? `No existe el archivo ${file}.` : `${file} no es un acta de este sitio, o está incompleta.`,
  )

// The first characters of a file show whether it is the record of a final, which is short.
const beginning = await firstCharacters(file).catch(failRecord)
if (looksLikeFinalRecord(beginning)) {
  if (witnessPaths.length + publicKeys.length > 0)
    failUsage('Los testigos y la llave son de la votación: el acta de la final se cuenta sin ellos.')
  printFinalResult(await readFile(file, 'utf8').then(verifyFinal).catch(failRecord))
} else await countVote()

async function firstCharacters(path: string): Promise<string> {
  const handle = await open(path)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(64), 0, 64, 0).finally(() => handle.close())
  return buffer.subarray(0, bytesRead).toString('utf8')
}

async function countVote(): Promise<void> {
  const witnesses = await Promise.all(witnessPaths.map(loadWitness))
  printVoteResult(await verifyRecordFile(file, witnesses, publicKeys).catch(failRecord))
}

function printFinalResult({ state, seal, faults }: FinalVerification) {
  const { final } = state
  if (final) {
    console.log(`Acta de la final ${final.opening.edicion}, abierta el ${final.opening.levantada}`)
    for (const { lugar, candidata, total, titulo } of final.closing?.orden ?? [])
      console.log(
        `  ${String(lugar).padStart(2)}. ${candidateNameOf(final, candidata).padEnd(32)} ${formatPoints(total).padStart(10)}${titulo ? `  ${titulo}` : ''}`,
      )
    for (const { number, sheets } of final.rounds)
      console.log(`Ronda ${number}, ${rulesOfRound(final.rules, number).nombre}: ${sheets.size} hojas.`)
  }
  for (const note of recordNotes(state)) console.log(note)
  console.log(`Sello: ${seal}`)
  for (const fault of faults) console.error(`FALLA: ${fault}`)
  if (faults.length === 0) console.log('Todo coincide: sellos, hojas, descartes, sumas, empates y orden.')
  else process.exitCode = 1
}

function printVoteResult({
  cover,
  blockCount,
  ballotCount,
  totals,
  faults,
  isPublished,
  checkedWitnesses,
}: Verification) {
  const { acta } = cover
  const width = Math.max(...[...totals.keys()].map(({ length }) => length), 20)
  console.log(`Acta de cierre ${acta.edicion}, levantada el ${acta.levantada}`)
  for (const [name, votes] of totals) console.log(`  ${name.padEnd(width)} ${String(votes).padStart(10)}`)
  for (const { nombre, antes } of acta.candidatas)
    if (antes) console.log(`Con ${nombre} se cuentan los votos de su nombre de antes: ${antes.join(', ')}.`)
  console.log(`  ${'Papeletas'.padEnd(width)} ${String(ballotCount).padStart(10)}`)
  console.log(`  ${'Anuladas'.padEnd(width)} ${String(acta.anulados).padStart(10)}`)
  console.log(`Cajas: ${blockCount}. Sello de la última: ${acta.ultimoSello}`)
  for (const fault of acta.fallas) console.log(`El acta misma declara: ${fault}`)
  for (const fault of faults) console.error(`FALLA: ${fault}`)
  const checkedParts = 'sellos, orden, recibos, anulaciones y totales.'
  if (faults.length === 0 && isPublished) console.log(`Todo coincide: ${checkedParts}`)
  else if (faults.length === 0)
    console.log(`El archivo coincide consigo mismo: ${checkedParts}\n${UNPROVEN_ORIGIN_NOTE}`)
  for (const witness of checkedWitnesses) {
    for (const statement of witness.confirmations) console.log(`${witness.fileName}: ${statement}`)
    for (const fault of witness.faults) console.error(`FALLA: ${witness.fileName}: ${fault}`)
  }
  if (faults.length > 0 || checkedWitnesses.some((witness) => witness.faults.length > 0)) process.exitCode = 1
}
