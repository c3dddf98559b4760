"""django_app.py LEVEL -- Django reads an account, waits for another thread that
has read it, too, and saves it."""

import os
import sys
import threading

from django.conf import settings

level = sys.argv[1]
settings.configure(DATABASES={"default": {
    "ENGINE": "django.db.backends.postgresql", "NAME": os.environ["PGDATABASE"],
    "HOST": os.environ["PGHOST"], "PORT": os.environ["PGPORT"],
    "USER": os.environ["PGUSER"],
    "OPTIONS": {"options": "-c default_transaction_isolation=" +
                level.replace(" ", "\\ ")}}}, USE_TZ=True)
import django
django.setup()
from django.db import connection, models, transaction, utils


class Account(models.Model):
    owner = models.TextField()
    balance = models.IntegerField()

    class Meta:
        app_label = "bank"
        db_table = "account"
        managed = False


def work(barrier, n):
    for i in range(1, 4):
        try:
            with transaction.atomic():
                account = Account.objects.get(pk=i)
                try:
                    barrier.wait(2)
                except threading.BrokenBarrierError:
                    barrier.reset()
                with transaction.atomic():
                    account.balance += n
                    account.save()
        except utils.OperationalError:
            pass # 40001
    with transaction.atomic():
        list(Account.objects.order_by("id").iterator(chunk_size=2))
        Account.objects.filter(balance__gt=1000).exists()
        Account.objects.filter(owner__startswith="o").count()
    connection.close()


barrier = threading.Barrier(2)
threads = [threading.Thread(target=work, args=(barrier, n)) for n in (1, 10)]
for t in threads:
    t.start()
for t in threads:
    t.join()
