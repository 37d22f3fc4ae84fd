import { describe } from 'vitest'
import { storageContract } from '../../tests/storage-contract.ts'
import { openS3Storage } from './storage-s3.server.ts'

describe('S3 storage keeps the contract', () => {
  storageContract(async () => {
    const url = process.env.TEST_S3_URL
    if (!url) throw new Error('Run it through npm run test:s3, which starts the S3 server')
    return openS3Storage(url)
  })
})
