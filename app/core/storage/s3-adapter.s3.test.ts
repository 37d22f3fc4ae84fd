import { describe, expect, test, vi } from 'vitest'
import { storageContract } from '#tests/support/persistence/storage-contract.ts'
import { checkStorage } from './open-store.server.ts'
import { openS3Storage } from './s3-adapter.server.ts'

describe('S3 storage keeps the contract', () => {
  storageContract(async () => {
    const url = process.env.TEST_S3_URL
    if (!url) throw new Error('Run it through npm run test:s3, which starts the S3 server')
    return openS3Storage(url)
  })
})

test('a bucket that is not there, and a secret that is not this server’s, are told in one line', async () => {
  const storageUrl = process.env.TEST_S3_URL!
  const other = storageUrl.replace(/^s3:\/\/[^/]+/, 's3://no-hay-tal')
  await checkStorage(openS3Storage(storageUrl), { storageUrl })
  await expect(checkStorage(openS3Storage(other), { storageUrl: other })).rejects.toThrow(
    /^La cubeta no-hay-tal de STORAGE_URL no existe/,
  )
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'otra')
  try {
    await expect(checkStorage(openS3Storage(storageUrl), { storageUrl })).rejects.toThrow(
      /^El almacenamiento de STORAGE_URL no deja usar la cubeta certamen con estas credenciales \(403\)/,
    )
  } finally {
    vi.unstubAllEnvs()
  }
})
