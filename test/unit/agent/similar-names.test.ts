import assert from 'node:assert/strict';
import { hintsFor, similarTables } from '../../../src/core/agent/similar-names.ts';
import { catalogFromDdl } from '../../../src/core/schema/from-ddl.ts';

const CATALOG = catalogFromDdl(`CREATE TABLE Customer (CustomerId INTEGER, FirstName TEXT, Country TEXT);
CREATE TABLE Invoice (InvoiceId INTEGER, CustomerId INTEGER, BillingCountry TEXT, Total REAL);
CREATE TABLE "Order Details" ("Unit Price" REAL);`);

describe('names that may have been meant', () => {
  it('are tables that are spelled alike, in another case or number', () => {
    assert.deepEqual(similarTables(CATALOG, 'customers'), ['Customer']);
    assert.deepEqual(similarTables(CATALOG, 'order_details'), ['Order Details']);
    assert.deepEqual(similarTables(CATALOG, 'Inovice'), ['Invoice']);
    assert.deepEqual(similarTables(CATALOG, 'weather'), []);
  });

  it('are columns like the unknown one, those of the named table first', () => {
    assert.deepEqual(hintsFor(CATALOG, 'no such column: first_name', []), ['Did you mean Customer.FirstName?']);
    assert.deepEqual(hintsFor(CATALOG, 'no such column: Invoice.Country', []), [
      'Did you mean Invoice.BillingCountry or Customer.Country?',
    ]);
    assert.deepEqual(hintsFor(CATALOG, 'no such column: T1.unitprice', []), [
      'Did you mean "Order Details"."Unit Price"?',
    ]);
  });

  it('are columns of the tables in the query before others', () => {
    const message = 'no such column: T1.customer_id';
    assert.deepEqual(hintsFor(CATALOG, message, []), ['Did you mean Customer.CustomerId or Invoice.CustomerId?']);
    assert.deepEqual(hintsFor(CATALOG, message, ['invoice']), [
      'Did you mean Invoice.CustomerId or Customer.CustomerId?',
    ]);
  });

  it('are none of a message that says something else', () => {
    assert.deepEqual(hintsFor(CATALOG, 'near "FORM": syntax error', []), []);
    assert.deepEqual(hintsFor(CATALOG, 'no such column: zzzzzz', []), []);
    assert.deepEqual(hintsFor(CATALOG, 'no such table: main.invoices', []), ['Did you mean Invoice?']);
  });
});
