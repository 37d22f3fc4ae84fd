/**
 * Size of a chunk as the form sends it, and the space reserved for an upload beyond its received bytes. As measured: 60 MB over 5
 * Mbps with five cuts sends 0.9 % too much (1.2 % with chunks of 256 KB), and at 150 ms of delay takes 9 % longer than the line
 * itself (31 % with 256 KB). nginx would refuse a larger chunk (client_max_body_size 1m), and a proxy that forwards complete
 * requests only would lose it whole.
 */
export const PIECE_BYTES = 1_048_576
