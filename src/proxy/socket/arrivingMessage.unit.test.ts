import { expect, test } from 'vitest';
import { ProxyError } from '../errors/proxyError.ts';
import { MemoryBudget } from '../requestBody/memoryBudget.ts';
import { ArrivingMessage } from './arrivingMessage.ts';

const KIB = 1_024;

test('acquires memory in steps of 64 KiB while a message arrives, and releases it at its end', () => {
  const budget = new MemoryBudget(8 * 1_024 * KIB);
  const message = new ArrivingMessage(budget);
  message.onBytes(60 * KIB);
  expect(budget.usedBytes).toBe(0);
  message.onBytes(10 * KIB);
  expect(budget.usedBytes).toBe(70 * KIB);
  message.onBytes(60 * KIB);
  expect(budget.usedBytes).toBe(70 * KIB);
  message.onBytes(10 * KIB);
  expect(budget.usedBytes).toBe(140 * KIB);
  message.end();
  expect(budget.usedBytes).toBe(0);
  message.onBytes(64 * KIB);
  expect(budget.usedBytes).toBe(64 * KIB);
});

test('refuses what does not fit into memory, and holds what has arrived until its end', () => {
  const budget = new MemoryBudget(1_024 * KIB);
  const messages = Array.from({ length: 4 }, () => new ArrivingMessage(budget));
  for (const message of messages) message.onBytes(250 * KIB);
  const other = new ArrivingMessage(budget);
  expect(() => other.onBytes(200 * KIB)).toThrow(ProxyError);
  expect(budget.usedBytes).toBe(1_000 * KIB);
  other.end();
  for (const message of messages) message.end();
  expect(budget.usedBytes).toBe(0);
});

test('keeps no memory for pings and pongs', () => {
  const budget = new MemoryBudget(8 * 1_024 * KIB);
  const message = new ArrivingMessage(budget);
  const payload = Buffer.alloc(125);
  const frames = Math.floor((64 * KIB) / (6 + payload.length));
  for (let chunk = 0; chunk < 100; chunk++) {
    message.onBytes(64 * KIB);
    for (let frame = 0; frame < frames; frame++) message.onControlFrame(payload);
  }
  expect(budget.usedBytes).toBeLessThan(3 * 64 * KIB);
  message.end();
  message.onControlFrame(payload);
  message.onBytes(64 * KIB);
  expect(budget.usedBytes).toBe(64 * KIB);
});
